import {
  ALL_TASKS,
  type AnyTask,
  openPhones,
  type Outcome,
  POLICIES,
  type Policy,
  reportOf,
  runGym,
  serveGym,
  snakeCase,
  writeReport,
} from '../../../gym/src/index.js';
import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';

const MAX_PARALLEL = 99;
const MAX_ROUNDS = 1_000;
const MAX_SEED = 2 ** 31;

/** Runs tasks of the gym on phones of the service, or serves them to another program. The status is 1 where an episode missed its goal. */
export async function run(invocation: Invocation): Promise<number> {
  const { options, terminal, nowMs, newId, signal } = invocation;
  const tasks = tasksOf(options.text('family'), options.text('task'));
  if (options.flag('list')) {
    for (const { id } of tasks) terminal.line(id);
    return 0;
  }
  const [name, policy] = policyOf(options.text('policy') ?? 'scripted');
  const seed = options.number('seed', { min: 0, max: MAX_SEED }) ?? 1;
  const rounds = options.number('rounds', { min: 1, max: MAX_ROUNDS }) ?? 1;
  const parallel = options.number('parallel', { min: 1, max: MAX_PARALLEL }) ?? 4;
  const folder = options.text('report');
  const note = (text: string): void => terminal.note(`cloudphone: ${text}`);
  const phones = await openPhones(openService(invocation), { parallel, name: `gym-${newId().slice(0, 8)}`, note });
  try {
    if (options.flag('serve')) {
      await serveGym(phones, { tasks, nowMs, input: terminal.input, line: (text) => terminal.line(text), signal });
      signal.throwIfAborted();
      return 0;
    }
    const onOutcome = ({ task, success, reason, steps, seconds }: Outcome): void =>
      note(`${success ? 'reached' : 'missed'} ${task} in ${steps} steps, ${seconds.toFixed(1)} s${reason === undefined ? '' : `: ${reason}`}`); // prettier-ignore
    const outcomes = await runGym(phones, { ...{ tasks, policy, seed, rounds, parallel, nowMs, signal }, onOutcome });
    const report = reportOf({ policy: name, seed }, outcomes);
    if (folder !== undefined) await writeReport(folder, report);
    const { succeeded, episodes } = report.total;
    if (options.flag('json')) terminal.line(JSON.stringify(snakeCase(report)));
    else terminal.line(`${succeeded} of ${episodes} episodes reached their goal.`);
    return succeeded === episodes ? 0 : 1;
  } finally {
    await phones.close();
  }
}

function tasksOf(family: string | undefined, id: string | undefined): readonly AnyTask[] {
  const found = ALL_TASKS.filter((task) => (family === undefined || task.family === family) && (id === undefined || task.id === id)); // prettier-ignore
  if (found.length > 0) return found;
  const families = [...new Set(ALL_TASKS.map((task) => task.family))].join(', ');
  throw new UsageError(`gym: no task fits. The families are ${families}. "cloudphone gym --list" names the tasks.`);
}

function policyOf(name: string): [string, Policy] {
  const policy = POLICIES[name];
  if (policy !== undefined) return [name, policy];
  throw new UsageError(`gym: there is no policy "${name}". There are: ${Object.keys(POLICIES).join(', ')}.`);
}
