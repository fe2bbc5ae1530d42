import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { WrongPhone } from '../../phone/link/identity.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { createReportPhone } from './report-phone.js';

describe('a phone that could not be connected to', () => {
  it('is reported at most once a second, with the identity that was found', async () => {
    const reports: unknown[] = [];
    const devices = {
      name: 'the device service',
      contracts: [PhoneService],
      interceptors: [],
      routes: (router: Parameters<Parameters<typeof joinInMemory>[0]['routes']>[0]) => {
        router.service(PhoneService, {
          reportPhone: ({ phoneId, foundIdentity }) => {
            reports.push([phoneId, foundIdentity]);
            return {};
          },
        });
      },
    };
    const clock = new FakeClock();
    const report = createReportPhone({
      devices: createClient(PhoneService, joinInMemory(devices, undefined)),
      clock,
      log: silentLog,
    });
    const unreachable = new Error('ECONNREFUSED');
    for (let time = 0; time < 20; time++) {
      report('a', unreachable);
      report('b', new WrongPhone('serial/boot'));
      clock.turn(100);
    }
    await settled();
    expect(reports).to.deep.equal([
      ['a', undefined],
      ['b', 'serial/boot'],
      ['a', undefined],
      ['b', 'serial/boot'],
    ]);
  });
});
