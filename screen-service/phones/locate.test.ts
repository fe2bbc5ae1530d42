import { connect } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { LocatePhoneResponseSchema } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { SharedLogs } from '../logs/shared-logs.js';
import { SecretsOfPhones } from '../secrets/secrets-of-phones.js';
import { screenLimits } from '../limits.js';
import { screenMetrics } from '../link/metrics.js';
import { PhoneSessions } from './phone-sessions.js';
import { createLocate } from './locate.js';

describe('the permission for helpers that comes with a located phone', () => {
  let sessions: PhoneSessions;
  /** Responses to the requests that are under way, in their order. */
  let respond: ((phoneId: string) => void)[];

  beforeEach(() => {
    const clock = new FakeClock();
    respond = [];
    const parts = {
      clock,
      log: silentLog,
      metrics: screenMetrics({ metrics: new Registry(), clock, sessions: () => sessions.size }),
      connectSocket: (host: string, port: number) => connect({ host, port }),
      limits: screenLimits,
      report: () => undefined,
    };
    sessions = new PhoneSessions({
      ...parts,
      logs: new SharedLogs(parts, []),
      secrets: new SecretsOfPhones(clock),
      scrcpyFile: undefined,
    });
  });
  afterEach(() => sessions.close());

  /** Locates a phone on which helpers are allowed; returns whether the permission was used. */
  async function locate(): Promise<boolean> {
    const devices = {
      locatePhone: () =>
        new Promise((resolve) =>
          respond.push((phoneId) =>
            resolve(create(LocatePhoneResponseSchema, { phoneId, identity: 's/1', helpersAllowed: true })),
          ),
        ),
    };
    const { phoneSession } = await createLocate(devices as never, sessions)(openTestCall(), 'phone', Scope.READ);
    return phoneSession.resident.isAllowed;
  }

  it('is used where the helpers were not released', async () => {
    const located = locate();
    await sessions.releaseHelpers(['ph_2']);
    respond[0]?.('ph_1');
    expect(await located).to.equal(true);
  });

  it('is not used once the phone was lent after its request, also where it is not kept yet', async () => {
    for (let times = 0; times < 2; times++) {
      const located = locate();
      await sessions.releaseHelpers(['ph_1']);
      respond[times]?.('ph_1');
      expect(await located).to.equal(false);
    }
  });

  it('is used again where it was requested after the release', async () => {
    const early = locate();
    await sessions.releaseHelpers(['ph_1']);
    const late = locate();
    respond[1]?.('ph_1');
    expect(await late).to.equal(true);
    respond[0]?.('ph_1');
    expect(await early).to.equal(true);
  });
});
