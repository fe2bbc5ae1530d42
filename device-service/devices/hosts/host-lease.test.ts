import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { until } from '../../../testing/until.js';
import { HOST_BEAT_MS } from '../limits.js';
import type { HostDriver, HostStore } from '../../store/hosts.js';
import { openStores } from '../../store/stores.js';
import { Outages } from '../metering/outages.js';
import { HostLease } from './host-lease.js';

describe('the lease of a host', () => {
  let opened: TemporaryDatabase;
  let hosts: HostStore;
  let clock: FakeClock;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    hosts = (await openStores(opened.database, { clock: systemClock, log: silentLog })).hosts;
    clock = new FakeClock();
  });

  afterEach(() => opened.close());

  function acquire(measure: () => Promise<HostDriver[]>): Promise<HostLease> {
    return HostLease.acquire({
      outages: new Outages(clock),
      ...{ hosts, hostId: 'host-1', folderId: 'folder', measure },
      ...{ lost: () => undefined, clock, log: silentLog },
    });
  }

  it('is acquired although a driver hangs when it is measured, and reports the measured host once it no longer does', async () => {
    const driver: HostDriver = {
      ...{ kind: 'simulated', freeMemoryMb: 1, freeDiskMb: 1, create: true, exit: true },
      models: [],
    };
    let measured: Promise<HostDriver[]> = new Promise(() => undefined);
    let lease: HostLease | undefined;
    void acquire(() => measured).then((acquired) => (lease = acquired));
    clock.turn(HOST_BEAT_MS);
    await until(() => lease !== undefined);
    expect(lease?.drivers).to.deep.equal([]);
    measured = Promise.resolve([driver]);
    await lease?.renew();
    expect((await hosts.find('host-1'))?.drivers).to.deep.equal([driver]);
    await lease?.close();
  });

  it('is over once it is closed, although a driver hangs in a renewal', async () => {
    let measured: Promise<HostDriver[]> = Promise.resolve([]);
    const lease = await acquire(() => measured);
    lease.start();
    measured = new Promise(() => undefined);
    clock.turn(HOST_BEAT_MS);
    await lease.close();
    await settled();
    expect((await hosts.find('host-1'))?.leaseUntil).to.deep.equal(new Date(clock.now()));
  });

  it('begins a later epoch with each process', async () => {
    expect((await acquire(async () => [])).epoch).to.equal(1);
    const second = await acquire(async () => []);
    expect(second.epoch).to.equal(2);
    expect(second.seenBefore).to.deep.equal(new Date(clock.now()));
  });
});
