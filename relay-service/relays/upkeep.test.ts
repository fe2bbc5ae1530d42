import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { LEASE_MS } from '../limits.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';
import { Attempts } from './attempts.js';
import type { Relays } from './relays.js';
import { RelayUpkeep } from './upkeep.js';

describe('the upkeep of relays', () => {
  const clock = new FakeClock();
  let renewals: number;
  let dropped: number;
  let away: boolean;
  let finding: Promise<RelayDocument[]>;
  let upkeep: RelayUpkeep;

  beforeEach(async () => {
    [renewals, dropped, away, finding] = [0, 0, false, Promise.resolve([])];
    const store = {
      renewLeases: async () => {
        if (away) throw new Error('the database is away');
        renewals++;
      },
      findOfInstance: () => finding,
      findLapsed: async () => [],
    } as unknown as RelayStore;
    const parts = { clock, log: silentLog, store, instanceId: 'a', rpcUrl: () => undefined };
    upkeep = new RelayUpkeep({
      ...parts,
      devices: createClient(
        PhoneService,
        createRouterTransport(() => undefined),
      ),
      relays: { live: [], dropAll: () => dropped++ } as unknown as Relays,
      attempts: new Attempts(parts),
    });
    await upkeep.start();
  });

  afterEach(() => upkeep.close());

  it('renews the leases in time, although comparing the relays with a slow database takes longer than a lease', async () => {
    let found = (_documents: RelayDocument[]): void => undefined;
    finding = new Promise((resolve) => (found = resolve));
    await clock.pass(LEASE_MS * 2, 1_000);
    expect(renewals).to.be.at.least(5);
    expect(dropped).to.equal(0);
    found([]);
  });

  it('stops listening once the leases may have gone to another instance', async () => {
    away = true;
    await clock.pass(LEASE_MS - 1_000, 1_000);
    expect(dropped).to.equal(0);
    await clock.pass(3_000, 1_000);
    expect(dropped).to.be.at.least(1);
  });
});
