import { randomBytes } from 'node:crypto';
import { keepEntries } from '../../device-service/history/timeline/keep-entries.js';
import { DEFAULT_TIMELINE, TimelineRoom } from '../../device-service/history/timeline/timeline-room.js';
import { openStores } from '../../device-service/store/stores.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { SecretBox } from '../../kit/text/secret-box.js';
import { runningDocument } from '../../testing/device-document.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import type { Delays } from './agent.js';
import { inTurn, median, type Report } from './report.js';
import { startEdge } from './screen-edge.js';
import { startBenchPhone } from './screen-phone.js';

const DELAYS: readonly (Delays & { acts: number })[] = [
  { name: 'no delays', captureDelayMs: 0, treeDelayMs: 0, acts: 6 },
  { name: 'capture 120 ms, tree 1,500 ms', captureDelayMs: 120, treeDelayMs: 1_500, acts: 2 },
];

/** Row P28: compares `act` with the timeline on and off. The embedded database is in a thread of the same process. */
export async function benchTimeline(report: Report): Promise<void> {
  const phone = await startBenchPhone();
  const opened = await openTemporaryDatabase();
  const stores = await openStores(opened.database, {
    box: new SecretBox(randomBytes(32)),
    clock: systemClock,
    log: silentLog,
  });
  await stores.devices.insert(runningDocument({ _id: 'ph_bench', timeline: true }));
  const timelineRoom = new TimelineRoom(stores, DEFAULT_TIMELINE);
  let isOn = false;
  const edge = await startEdge(phone.port, undefined, {
    timeline: { isOn: () => isOn, keep: (entries) => keepEntries({ ...stores, timelineRoom }, entries) },
  });
  const act = async (body: object): Promise<number> => {
    const headers = { authorization: 'Bearer key_1', 'content-type': 'application/json' };
    const startMs = performance.now();
    const response = await fetch(`${edge.url}/v1/devices/bench/act`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    return performance.now() - startMs;
  };
  try {
    for (const { name, acts, ...delays } of DELAYS) {
      await phone.faults(delays);
      const round = async (on: boolean): Promise<number> => {
        isOn = on;
        const times: number[] = [];
        for (let at = 0; at < acts; at++) {
          times.push(await act(at % 2 === 0 ? { open_app: { app: 'Notes' } } : { key: { name: 'home' } }));
        }
        return median(times);
      };
      const { ours, theirs, ratio } = await inTurn(
        () => round(true),
        () => round(false),
        7,
      );
      report({
        what: `P28 act with the timeline on, p50 (${name})`,
        ours: `${ours.toFixed(0)} ms`,
        theirs: `${theirs.toFixed(0)} ms off`,
        ratio,
        goal: '<= 1.03',
        holds: ratio.median <= 1.03,
      });
    }
    const kept = await opened.database.collection('timeline').countDocuments({ phoneId: 'ph_bench' });
    if (kept === 0) throw new Error('nothing was kept, so nothing was measured');
  } finally {
    await edge.close();
    phone.stop();
    await opened.close();
  }
}
