import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { FaultyDriver } from '../../../testing/faulty-driver.js';
import { until } from '../../../testing/until.js';
import { HOST_BEAT_MS, HOST_LEASE_MS, STEP_MS } from '../limits.js';
import { createDeviceService } from '../../service.js';
import type { HostDocument } from '../../store/hosts.js';

describe('the lease of a host whose service starts', () => {
  let opened: TemporaryDatabase;
  beforeEach(async () => (opened = await openTemporaryDatabase()));
  afterEach(() => opened.close());

  it('is renewed while the first comparison of all phones takes longer than the lease', async () => {
    const clock = new FakeClock();
    const driver = new FaultyDriver();
    driver.hangs.add('list');
    let isListing = false;
    const list = driver.list.bind(driver);
    driver.list = () => {
      isListing = true;
      return list();
    };
    let hasStarted = false;
    const lost: Error[] = [];
    const starting = createDeviceService({
      ...{ clock, log: silentLog, metrics: new Registry(), database: opened.database },
      ...{ drivers: [driver], hostId: 'host-1', meshToken: undefined, lostHost: (reason) => lost.push(reason) },
    }).finally(() => (hasStarted = true));
    await until(() => isListing);
    const hosts = opened.database.collection<HostDocument>('hosts');
    const begunMs = clock.monotonicMs();
    const beats = Math.floor(HOST_LEASE_MS / HOST_BEAT_MS) + 2;
    for (let beat = 0; beat < beats; beat++) {
      clock.turn(HOST_BEAT_MS);
      const leaseUntil = new Date(clock.now() + HOST_LEASE_MS);
      await until(async () => (await hosts.findOne({ _id: 'host-1' }))?.leaseUntil.getTime() === leaseUntil.getTime());
    }
    expect(clock.monotonicMs() - begunMs).to.be.greaterThan(HOST_LEASE_MS);
    expect(hasStarted).to.equal(false);
    clock.turn(STEP_MS.inspect * 3);
    await (await starting).close();
    expect(lost).to.deep.equal([]);
  });
});
