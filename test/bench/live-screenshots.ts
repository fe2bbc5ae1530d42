import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { systemClock } from '../../kit/async/clock.js';
import { inTurn, median, type Report } from './report.js';
import type { BenchPhone } from './screen-phone.js';

const run = promisify(execFile);

/** Port of an adb server of our own, so that no other one on the machine is disturbed. */
const ADB_SERVER_PORT = '15872';

const CALLS = 15;

/** Row P3: screenshots of a still screen that somebody watches, against an agent tool that runs adb for each. */
export async function benchWatchedScreenshots({
  phone,
  edge,
  ours,
  report,
}: {
  phone: BenchPhone;
  edge: { url: string };
  ours: string;
  report: Report;
}): Promise<void> {
  // prettier-ignore
  await phone.shell('am start -n com.cloudphone.lab/.Form');
  await systemClock.sleep(1_500);
  const serial = `127.0.0.1:${phone.port}`;
  const adb = (...command: string[]): Promise<unknown> =>
    run('adb', ['-P', ADB_SERVER_PORT, ...command], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  await adb('connect', serial);
  const viewer = new WebSocket(ours, { headers: { authorization: 'Bearer key_1' } });
  try {
    await new Promise((resolve, reject) => void viewer.once('message', resolve).once('error', reject));
    for (const captureDelayMs of [0, 120]) {
      await phone.faults({ captureDelayMs, treeDelayMs: 0 });
      await systemClock.sleep(2_000);
      const ages: number[] = [];
      const screenshot = async (): Promise<void> => {
        const headers = { authorization: 'Bearer key_1' };
        const response = await fetch(`${edge.url}/v1/devices/bench/screenshot`, { headers });
        await response.arrayBuffer();
        ages.push(Number(response.headers.get('x-frame-age-ms') ?? NaN));
      };
      const byAdb = async (): Promise<void> => {
        await adb('-s', serial, 'shell', 'dumpsys SurfaceFlinger --display-id');
        await adb('-s', serial, 'exec-out', 'screencap', '-p');
      };
      const timeOf = async (call: () => Promise<unknown>): Promise<number> => {
        const times: number[] = [];
        for (let at = 0; at < CALLS; at++) {
          const startMs = performance.now();
          await call();
          times.push(performance.now() - startMs);
        }
        return median(times);
      };
      const figures = await inTurn(
        () => timeOf(screenshot),
        () => timeOf(byAdb),
      );
      report({
        what: `P3 screenshot PNG of a still screen while somebody watches, p50 (capture ${captureDelayMs} ms)`,
        ours: `${figures.ours.toFixed(1)} ms`,
        theirs: `${figures.theirs.toFixed(1)} ms two adb calls, as agent tools do`,
        ratio: figures.ratio,
        goal: '<= 0.15',
        holds: figures.ratio.median <= 0.15,
      });
      const oldest = Math.max(...ages);
      report({
        what: `P3 age of its picture at the most, of ${ages.length} (capture ${captureDelayMs} ms)`,
        ours: `${oldest} ms`,
        theirs: '',
        goal: '<= 100 ms',
        holds: oldest <= 100,
      });
    }
  } finally {
    viewer.terminate();
    await adb('kill-server').catch(() => undefined);
  }
}
