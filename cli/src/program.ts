import type { Command, Invocation } from './command/command.js';
import { helpOf, helpOfAll } from './command/help.js';
import { parseWords } from './command/parse.js';
import { UsageError } from './output/usage-error.js';
import { failureObject, failureText, Interrupted, statusOf } from './output/failure.js';
import { plainText } from './output/plain-text.js';

/** The parts of the world that the program uses. */
export type World = Pick<Invocation, 'settings' | 'terminal' | 'wait' | 'nowMs' | 'newId' | 'signal'>;

/** Runs one call: finds its command, loads and runs it. Returns the exit status. Failures are reported on standard error. */
export async function runProgram(
  args: readonly string[],
  commands: readonly Command[],
  version: string,
  world: World,
): Promise<number> {
  const { terminal, signal } = world;
  try {
    return await runWords(args, commands, version, world);
  } catch (thrown) {
    // Whatever an ended call failed with, the end is the reason.
    const error: unknown = signal.aborted ? signal.reason : thrown;
    // Whoever ended the program knows it.
    if (error instanceof Interrupted) return error.status;
    const asJson = args.includes('--json');
    terminal.note(asJson ? JSON.stringify(failureObject(error)) : `cloudphone: ${plainText(failureText(error))}`);
    return statusOf(error);
  }
}

async function runWords(
  args: readonly string[],
  commands: readonly Command[],
  version: string,
  world: World,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    world.terminal.line(helpOfAll(commands).trimEnd());
    return 0;
  }
  if (name === '--version') {
    world.terminal.line(version);
    return 0;
  }
  if (name === 'help') {
    world.terminal.line(helpOf(commandOf(rest, commands).command).trimEnd());
    return 0;
  }
  const { command, words } = commandOf(args, commands);
  const parsed = parseWords(command, words);
  if (parsed.options.flag('help')) {
    world.terminal.line(helpOf(command).trimEnd());
    return 0;
  }
  const { run } = await command.load();
  const result = await run({ ...world, ...parsed, commands });
  return typeof result === 'number' ? result : 0;
}

/** Returns the command that the first words name, and the words after its name. A name of two words, such as `pool put`, comes first. */
function commandOf(
  args: readonly string[],
  commands: readonly Command[],
): { command: Command; words: readonly string[] } {
  for (const count of [2, 1]) {
    const command = commands.find((one) => one.name === args.slice(0, count).join(' '));
    if (command !== undefined) return { command, words: args.slice(count) };
  }
  const [name = ''] = args;
  const near = commands.filter((one) => one.name.startsWith(name.slice(0, 2))).map((one) => one.name);
  const hint = near.length === 0 || name === '' ? '' : ` Did you mean ${near.join(', ')}?`;
  throw new UsageError(`There is no command "${name}".${hint} All commands: cloudphone --help`);
}
