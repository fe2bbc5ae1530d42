import { systemClock } from '../../kit/async/clock.js';
import { lineOf, markedBy, originOf } from './processes.js';

/** How often the processes are looked at, ms. */
const LOOK_EVERY_MS = 200;
/** How long processes have to end after SIGTERM, ms. */
const TERM_MS = 5_000;
/** The time after which the guard gives up, ms. */
const GIVE_UP_MS = 20_000;

const [mark = '', pid = ''] = process.argv.slice(2);

/** The main process of mocha and its ancestors: its wrapper, npm's shell and npm. The run is over when one of them has ended. */
const mochas = [Number(pid), ...parentLike(Number(pid), /^\S*\bnode (-\S+ )*\S*\/mocha(\.js)? /)];
const shells = parentLike(mochas.at(-1), /^(sh|dash|bash) -c /);
const npms = parentLike(shells.at(-1) ?? mochas.at(-1), /^npm( |$)|\/npm(-cli\.js)? /);
const chain = [...mochas, ...shells, ...npms];
const started = chain.map((each) => originOf(each)?.started);

/** Returns the parent of a process if the parent's command line matches `pattern`. */
function parentLike(each: number | undefined, pattern: RegExp): number[] {
  const parent = originOf(each ?? 0)?.parent;
  return parent !== undefined && parent > 1 && pattern.test(`${lineOf(parent)} `) ? [parent] : [];
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const each of pids) {
    try {
      process.kill(each, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

// The pipe closes while the main process of mocha ends. That process then still has its memory to release.
// An error closes it too.
process.stdin.on('error', () => undefined).resume();
const isEnding = (): boolean => process.stdin.readableEnded || process.stdin.destroyed;
while (!isEnding() && chain.every((each, at) => originOf(each)?.started === started[at]))
  await systemClock.sleep(LOOK_EVERY_MS);
const beganMs = systemClock.monotonicMs();
const passedMs = (): number => systemClock.monotonicMs() - beganMs;
const own = (): number[] => mochas.filter((each, at) => originOf(each)?.started === started[at]);
// A process that ends by itself keeps its exit status, and its wrapper passes that on. Either takes a while on a busy machine, and a kill
// would replace the status.
while ((isEnding() || originOf(Number(pid)) === undefined) && own().length > 0 && passedMs() < GIVE_UP_MS)
  await systemClock.sleep(LOOK_EVERY_MS);
// mocha itself is killed first, because it would start more processes. `markedBy` does not find its main process, which got the mark after
// its start.
signal(own(), 'SIGKILL');
signal(
  markedBy(mark).filter((each) => lineOf(each).includes('/mocha/')),
  'SIGKILL',
);
const termMs = passedMs();
signal(markedBy(mark), 'SIGTERM');
while (markedBy(mark).length > 0 && passedMs() - termMs < GIVE_UP_MS) {
  await systemClock.sleep(LOOK_EVERY_MS);
  if (passedMs() - termMs > TERM_MS) signal(markedBy(mark), 'SIGKILL');
}
process.exit(0);
