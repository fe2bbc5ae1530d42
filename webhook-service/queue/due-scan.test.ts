import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { webhookLimits } from '../limits.js';
import type { DeliveryStore } from '../store/deliveries.js';
import { DueScan } from './due-scan.js';
import { ReceiverQueues } from './receiver-queues.js';

describe('the scan for due deliveries', () => {
  it('goes on at its pace where the clock is set back', async () => {
    const clock = new FakeClock();
    let backMs = 0;
    let scans = 0;
    const deliveries = {
      findDue: async function* () {
        scans++;
        yield* [];
      },
      findNextAt: async () => undefined,
    } as unknown as DeliveryStore;
    const scan = new DueScan({
      ...{ deliveries, log: silentLog, limits: webhookLimits, queues: new ReceiverQueues(webhookLimits) },
      clock: {
        now: () => clock.now() - backMs,
        monotonicMs: () => clock.monotonicMs(),
        after: (ms, run) => clock.after(ms, run),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      },
      found: () => undefined,
    });
    scan.scanAt(0);
    await clock.pass(webhookLimits.pollMs, 100);
    backMs = 3_600_000;
    const before = scans;
    // An attempt that has failed makes a delivery due, by the clock as it is now.
    scan.scanAt(clock.now() - backMs + 10);
    await clock.pass(3 * webhookLimits.pollMs, 100);
    await settled();
    expect(scans - before).to.be.at.least(3);
    await scan.close();
  });
});
