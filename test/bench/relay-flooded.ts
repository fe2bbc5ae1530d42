import { systemClock } from '../../kit/async/clock.js';
import { RawAdb } from '../relay/raw-adb.js';
import { median, quantile, type Report } from './report.js';
import { Peer } from './relay-peer.js';

const BLOCKS = 5;
const PHASE_MS = 3_000;
/** Between two round trips of the other customer. */
const PAUSE_MS = 5;
const FLOOD_MS = 10_000;

/**
 * Another customer's round trips through the relay, with and without a flood of small packets by one connection to another device. The
 * phones are processes of their own, so that the relay and the machine alone are shared. With the flood three processes are busy without a
 * pause: on two cores the longest round trips show the machine's scheduling as well. So they have no goal.
 */
export async function benchFloods(report: Report, relay: Peer, enabled: { port: number; code: string }): Promise<void> {
  const phone = await Peer.start('phone');
  const flooded = await relay.ask({ ask: 'enable another', phonePort: phone.port });
  const client = await RawAdb.loggedIn(enabled);
  const phase = async (): Promise<number[]> => {
    const times: number[] = [];
    for (const endMs = performance.now() + PHASE_MS; performance.now() < endMs;) {
      const beganMs = performance.now();
      const { stdout } = await client.shell('echo');
      if (stdout !== 'echo\n') throw new Error(`echo printed ${stdout}`);
      times.push(performance.now() - beganMs);
      client.received.length = 0;
      await systemClock.sleep(PAUSE_MS);
    }
    return times;
  };
  for (const [kind, what] of [
    ['opens', 'small OPENs before the login'],
    ['stats', 'sync STATs'],
  ] as const) {
    const blocks: { calm: number[]; flood: number[] }[] = [];
    for (let block = 0; block <= BLOCKS; block++) {
      const calm = await phase();
      const flooding = await Peer.start('flood', String(flooded.port), kind, flooded.code);
      const flood = await phase();
      flooding.stop();
      // The first block warms up.
      if (block > 0) blocks.push({ calm, flood });
    }
    const ratios = blocks.map(({ calm, flood }) => median(flood) / median(calm));
    const figures = (times: number[]): { p50: number; text: string } => {
      const [p50, p99, longest] = [median(times), quantile(times, 0.99), Math.max(...times)];
      return { p50, text: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms` };
    };
    const calm = figures(blocks.flatMap((block) => block.calm));
    const flood = figures(blocks.flatMap((block) => block.flood));
    report({
      what: `shell echo of others while one connection floods ${what}, ${BLOCKS} x ${PHASE_MS / 1000} s`,
      ours: flood.text,
      theirs: `${calm.text} without the flood`,
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
      goal: 'p50 <= +20 ms',
      holds: flood.p50 - calm.p50 <= 20,
    });
  }
  client.end();
  await floodMemory(report, relay, flooded.port);
  phone.stop();
}

/** Memory of the relay while three connections that never log in send as much as they can, and reconnect when they are cut. */
export async function floodMemory(report: Report, relay: Peer, port: number): Promise<void> {
  const { rssBytes: before } = await relay.ask({ ask: 'memory' });
  await relay.ask({ ask: 'watch memory' });
  const floods = await Promise.all([1, 2, 3].map(() => Peer.start('flood', String(port), 'opens')));
  await systemClock.sleep(FLOOD_MS);
  const { mostRssBytes: most } = await relay.ask({ ask: 'memory' });
  for (const flood of floods) flood.stop();
  const addedMb = (most - before) / 2 ** 20;
  report({
    what: `relay memory while three connections flood it before the login, ${FLOOD_MS / 1000} s`,
    ours: `${(most / 2 ** 20).toFixed(0)} MiB (${addedMb >= 0 ? '+' : ''}${addedMb.toFixed(0)})`,
    theirs: `${(before / 2 ** 20).toFixed(0)} MiB before`,
    goal: '<= +64 MiB',
    holds: addedMb <= 64,
  });
}
