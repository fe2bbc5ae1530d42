import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../kit/async/clock.js';
import { FixedWindows } from '../../kit/async/fixed-windows.js';
import { inTurn, type Report } from './report.js';

const DECISIONS = 1_000_000;
const KEYS = 100_000;

/**
 * Measures row P16: one rate-limit decision of the edge against an empty loop, and the memory of a key that waits for its window's end.
 */
export async function benchLimits(report: Report): Promise<void> {
  const keys = Array.from({ length: 1_000 }, (_, number) => `key_${String(number).padStart(25, '0')}`);
  const windows = new FixedWindows({ clock: systemClock, windowMs: 60_000, maxKeys: KEYS });
  const perDecision = await inTurn(
    async () =>
      time((round) => {
        windows.count(keys[round % 1_000] ?? '');
      }),
    async () => time(() => undefined),
  );
  report({
    what: 'P16 one rate-limit decision, 1,000 keys',
    ours: `${perDecision.ours.toFixed(3)} us`,
    theirs: `${perDecision.theirs.toFixed(3)} us, an empty loop`,
    ratio: perDecision.ratio,
    goal: '<= 20 us',
    holds: perDecision.ours <= 20,
  });

  const bytes = idleKeyBytes();
  report({
    what: `P16 memory of an idle key, ${KEYS} keys`,
    ours: `${Math.round(bytes)} B`,
    theirs: '',
    goal: '<= 200 B; none once the window is over',
    holds: bytes <= 200,
  });
}

/** Microseconds for one of many. */
function time(decide: (round: number) => void): number {
  const startedMs = performance.now();
  for (let round = 0; round < DECISIONS; round++) decide(round);
  return ((performance.now() - startedMs) * 1_000) / DECISIONS;
}

function idleKeyBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A key's window is filed under the name, so the name is part of its cost.
  collect();
  const before = process.memoryUsage().heapUsed;
  const windows = new FixedWindows({ clock: systemClock, windowMs: 60_000, maxKeys: KEYS });
  for (let number = 0; number < KEYS; number++)
    windows.count(Buffer.from(`key_${String(number).padStart(25, '0')}`).toString());
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / windows.size;
  windows.forget('kept until here');
  return bytes;
}
