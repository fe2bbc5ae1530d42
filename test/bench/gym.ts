import { ALL_TASKS } from '../../gym/src/index.js';
import { startGymWorld } from '../gym/gym-world.js';
import type { Outcome } from '../../gym/src/index.js';
import { median, type Report } from './report.js';

const RUNS = 3;
const AT_ONCE = 20;
const RESETS = 30;

/** Tasks that are done again with the delays of real phones: the first two of each family. */
const DELAYED = ALL_TASKS.filter((task, at) => ALL_TASKS[at - 2]?.family !== task.family);

const DELAYS = { captureDelayMs: 120, treeDelayMs: 1_500 };

/** Measures the gym with the scripts: how many tasks they reach, 20 at once, and how long a reset takes. */
export async function benchGym(report: Report): Promise<void> {
  await benchResets(report);
  const gym = await startGymWorld(AT_ONCE);
  try {
    for (let run = 1; run <= RUNS; run++)
      reportReached(
        report,
        `all tasks, ${AT_ONCE} at once, run ${run} of ${RUNS}`,
        await timed(() => gym.run(ALL_TASKS, 'scripted')),
      );
    // Faults stay with a phone over its restarts, and so over the way back to the template.
    for (const phoneId of gym.world.phones.list().keys()) await gym.world.phones.setFaults(phoneId, DELAYS, false);
    reportReached(
      report,
      'two tasks of each family, capture 120 ms, tree 1,500 ms',
      await timed(() => gym.run(DELAYED, 'scripted')),
    );
  } finally {
    await gym.close();
  }
}

/** One episode after the other, as one agent has them: the phone of the episode before goes back to the template meanwhile. */
async function benchResets(report: Report): Promise<void> {
  const gym = await startGymWorld(1);
  try {
    const tasks = ALL_TASKS.filter((_, at) => at % Math.floor(ALL_TASKS.length / RESETS) === 0).slice(0, RESETS);
    const outcomes = await gym.run(tasks, 'scripted');
    const times = outcomes.map(({ resetMs }) => resetMs);
    report({
      what: `reset, p50 of ${times.length}, one episode at a time (the longest took ${Math.max(...times).toFixed(0)} ms)`,
      ours: `${median(times).toFixed(0)} ms`,
      theirs: '',
      goal: '<= 300 ms',
      holds: median(times) <= 300,
    });
  } finally {
    await gym.close();
  }
}

async function timed(run: () => Promise<Outcome[]>): Promise<{ outcomes: Outcome[]; seconds: number }> {
  const startMs = performance.now();
  const outcomes = await run();
  return { outcomes, seconds: (performance.now() - startMs) / 1_000 };
}

function reportReached(
  report: Report,
  what: string,
  { outcomes, seconds }: { outcomes: Outcome[]; seconds: number },
): void {
  const reached = outcomes.filter(({ success }) => success).length;
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, one) => all + of(one), 0);
  for (const { task, reason } of outcomes.filter(({ success }) => !success))
    process.stdout.write(`  missed ${task}: ${reason ?? ''}\n`);
  report({
    what: `${what}: ${seconds.toFixed(0)} s, ${sum(({ steps }) => steps)} steps, ${sum(({ tokens }) => tokens)} tokens, ${sum(({ wrongPresses }) => wrongPresses)} wrong presses`,
    ours: `${reached} of ${outcomes.length}`,
    theirs: '',
    goal: 'all',
    holds: reached === outcomes.length,
  });
}
