import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../kit/log/log.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { freePort } from '../../testing/free-port.js';
import { Pace } from '../connection/paced-input.js';
import { relayLimits } from '../limits.js';
import { relayMetrics } from '../metrics.js';
import type { RelayStore } from '../store/relays.js';
import { Attempts } from './attempts.js';
import { RelayPort } from './relay-port.js';
import { Relays } from './relays.js';

describe('relays of an instance', () => {
  it('free their port when the database fails while they are enabled', async () => {
    const port = await freePort();
    const clock = new FakeClock();
    const store = {
      find: async () => null,
      portsOf: async () => new Set(),
      countAt: async () => 0,
      insert: async () => Promise.reject(new Error('the database is away')),
    } as unknown as RelayStore;
    const transport = createRouterTransport(() => undefined);
    const relays = new Relays({
      queue: { add: () => undefined },
      ...{ clock, log: silentLog, limits: relayLimits, store },
      pace: new Pace(),
      unacknowledgedBytes: () => Promise.resolve(0),
      metrics: relayMetrics(new Registry(), () => 0),
      devices: createClient(PhoneService, transport),
      attempts: new Attempts({ clock, log: silentLog }),
      ...{ listenHost: '127.0.0.1', advertisedHost: '127.0.0.1', ports: { first: port, last: port }, instanceId: 'a' },
      rpcUrl: () => undefined,
    });
    const asked = { phoneId: 'ph_1', accountId: 'acc_1', device: 'one', keyId: 'key_1', allow: ['127.0.0.1'] };

    const error: unknown = await relays
      .enable({ ...asked, tunnel: false, lifetimeMs: 60_000 })
      .catch((reason: unknown) => reason);

    expect(String(error)).to.contain('the database is away');
    const again = await RelayPort.open({ host: '127.0.0.1', port, bufferBytes: 1_024, log: silentLog });
    expect(again?.port).to.equal(port);
    again?.close();
  });
});
