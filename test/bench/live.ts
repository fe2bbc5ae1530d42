import { systemClock } from '../../kit/async/clock.js';
import { openTestSession } from '../../screen-service/testing/screen-world.js';
import { identityAt } from './identity-at.js';
import type { LiveBench } from './live-bench.js';
import { placeOfCounter } from './live-counter.js';
import { benchGlass } from './live-glass.js';
import { startPeer } from './live-peer.js';
import { benchVideo, SCRCPY_FILE } from './live-video.js';
import { benchWatchedScreenshots } from './live-screenshots.js';
import { type Seen, Viewers } from './live-viewers.js';
import { inTurn, median, type Report } from './report.js';
import { startEdge } from './screen-edge.js';
import { startBenchPhone } from './screen-phone.js';

/** How often the phone draws something new, a second. */
const SOURCE_FPS = 20;

const VIEWERS = 50;
const MEASURE_MS = 4_000;

/** Numbers of viewers that are tried, until frames come too late. */
const LADDER = [10, 25, 50, 75, 100, 150, 200, 300, 400];
const LATE_MS = 50;
const STEP_MS = 2_000;

/** Rows P3, P6, P7, P8, P26 and P27: phone and viewers in processes of their own. */
export async function benchLive(report: Report): Promise<void> {
  const phone = await startBenchPhone();
  const edge = await startEdge(phone.port, SCRCPY_FILE);
  const viewers = new Viewers();
  const ours = `${edge.url.replace('http', 'ws')}/v1/devices/bench/live`;
  try {
    await benchWatchedScreenshots({ phone, edge, ours, report });
    await phone.faults({ captureDelayMs: 0, treeDelayMs: 0 });
    await phone.shell(`am start -n com.cloudphone.lab/.Counter --ei fps ${SOURCE_FPS}`);
    await systemClock.sleep(1_500);
    const phoneSession = openTestSession(phone.port, {}, systemClock, await identityAt(phone.port));
    const place = await placeOfCounter(phoneSession);
    phoneSession.close();
    const peer = await startPeer(phone.port);
    try {
      const bench: LiveBench = { phone, edge, ours, theirs: peer.url, place, originMs: await phone.origin(), report };
      await benchReach(bench, viewers);
      await benchDeaf(bench, viewers);
      await benchMost(bench, viewers);
      await benchGlass(bench);
      await benchVideo(bench);
    } finally {
      await peer.close();
    }
  } finally {
    viewers.stop();
    await edge.close();
    phone.stop();
  }
}

async function measure(
  { place, originMs }: LiveBench,
  viewers: Viewers,
  url: string,
  count: number,
  options: { deaf?: number; ms?: number } = {},
): Promise<Seen> {
  // prettier-ignore
  const { deaf = 0, ms = MEASURE_MS } = options;
  await viewers.open(url, count + deaf, deaf);
  await systemClock.sleep(300);
  const seen = await viewers.measure(ms, place, originMs);
  await viewers.close();
  return seen;
}

async function benchReach(bench: LiveBench, viewers: Viewers): Promise<void> {
  const late: Seen[] = [];
  const reach = async (url: string): Promise<number> => {
    const seen = await measure(bench, viewers, url, VIEWERS);
    if (url === bench.ours) late.push(seen);
    return Math.min(...seen.fps) / SOURCE_FPS;
  };
  const { ours, theirs, ratio } = await inTurn(
    () => reach(bench.ours),
    () => reach(bench.theirs),
  );
  bench.report({
    what: `P6 share of the source's ${SOURCE_FPS} frames a second that the slowest of ${VIEWERS} viewers gets (p95 ${median(late.map(({ p95 }) => p95)).toFixed(0)} ms)`,
    ours: ours.toFixed(3),
    theirs: `${theirs.toFixed(3)} bare ws`,
    ratio,
    goal: '>= 0.95 of the source',
    holds: ours >= 0.95,
  });
}

/** The most viewers for which 95 of 100 frames arrive in time. */
async function benchMost(bench: LiveBench, viewers: Viewers): Promise<void> {
  const most = async (url: string): Promise<number> => {
    let reached = 1;
    for (const count of LADDER) {
      const { p95 } = await measure(bench, viewers, url, count, { ms: STEP_MS });
      if (!(p95 <= LATE_MS)) break;
      reached = count;
    }
    return reached;
  };
  const { ours, theirs, ratio } = await inTurn(
    () => most(bench.ours),
    () => most(bench.theirs),
  );
  bench.report({
    what: `P6 viewers of one phone with frames at most ${LATE_MS} ms old on arrival (p95)`,
    ours: ours.toFixed(0),
    theirs: `${theirs.toFixed(0)} bare ws`,
    ratio,
    goal: '>= 0.8',
    holds: ratio.median >= 0.8,
  });
}

/** The same viewers with and without one that stops reading. */
async function benchDeaf(bench: LiveBench, viewers: Viewers): Promise<void> {
  let queued = 0;
  const with_ = async (): Promise<number> => {
    const seen = measure(bench, viewers, bench.ours, 20, { deaf: 1 });
    for (let at = 0; at < 8; at++) {
      await systemClock.sleep(500);
      const [, text = '0'] = /http_socket_queued_frames_max (\d+)/.exec(await bench.edge.metrics.metrics()) ?? [];
      queued = Math.max(queued, Number(text));
    }
    return (await seen).p95;
  };
  const { ours, theirs, ratio } = await inTurn(with_, async () => (await measure(bench, viewers, bench.ours, 20)).p95);
  bench.report({
    what: 'P8 lateness of frames (p95) for 20 viewers beside one that stops reading',
    ours: `${ours.toFixed(1)} ms`,
    theirs: `${theirs.toFixed(1)} ms without it`,
    ratio,
    goal: '<= 1.1',
    holds: ratio.median <= 1.1,
  });
  bench.report({
    what: 'P8 frames held for a viewer at the most',
    ours: String(queued),
    theirs: '',
    goal: '<= 2',
    holds: queued <= 2,
  });
}
