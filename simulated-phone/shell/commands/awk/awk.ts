import { CommandFailure, pathOf, type Command, type CommandCall } from '../../command.js';
import { readAll } from '../../../streams/pipe.js';
import { readScript } from '../../read-script.js';
import { AwkError } from './awk-error.js';
import type { AwkContext } from './context.js';
import { InputFiles } from './input-files.js';
import { Interpreter } from './interpreter.js';
import { MainInput, assign } from './main-input.js';
import { OutputFiles } from './output-files.js';
import { parseProgram } from './parse-program.js';
import { Patterns } from './patterns.js';
import { RandomNumbers } from './random-numbers.js';
import { InputRecord } from './record.js';
import { runSteps } from './steps.js';
import { Turns } from './turns.js';
import { inputValue } from './values.js';
import { Variables } from './variables.js';

/** The version that Android 15 has. */
const VERSION = 'awk version 20240728';

interface Arguments {
  sources: string[];
  fieldSeparator: string | undefined;
  assignments: string[];
  operands: string[];
}

/** `awk [-F fs] [-v var=value] [-f progfile | 'prog'] [file ...]`, as the one-true-awk of Android. */
export const awk: Command = async (call) => {
  if (['-version', '--version', '-V'].includes(call.args[0] ?? '')) {
    await call.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { sources, fieldSeparator, assignments, operands } = await readArguments(call);
  try {
    const program = parseProgram(sources.join('\n'));
    const { context, close } = openContext(call);
    try {
      setArguments(context.variables, call, operands);
      if (fieldSeparator !== undefined) context.variables.global('FS').value = fieldSeparator;
      for (const assignment of assignments)
        if (!assign(context.variables, assignment)) throw new AwkError(`invalid -v argument ${assignment}`);
      return await runSteps(new Interpreter(context, program).run(), () => context.turns.check()).finally(() =>
        context.output.flush(),
      );
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof RangeError) throw new AwkError('out of memory: a text, a record or an array is too large');
    throw error;
  }
};

function openContext(call: CommandCall): { context: AwkContext; close: () => Promise<void> } {
  const { clock } = call.machine;
  const turns = new Turns(clock, call.signal);
  const patterns = new Patterns();
  const variables = new Variables(call.memory);
  const files = new InputFiles(call, patterns);
  const output = new OutputFiles(call);
  const context: AwkContext = {
    clock,
    variables,
    record: new InputRecord(variables, patterns, turns, call.memory),
    patterns,
    turns,
    input: new MainInput(files, variables, () => output.flush()),
    files,
    output,
    random: new RandomNumbers(),
  };
  const close = async (): Promise<void> => {
    await output.abandon();
    await files.closeAll();
  };
  return { context, close };
}

function setArguments(variables: Variables, { name, environment }: CommandCall, operands: readonly string[]): void {
  const { array } = variables.global('ARGV');
  array.set('0', name);
  for (const [at, operand] of operands.entries()) array.set(String(at + 1), inputValue(operand));
  variables.global('ARGC').value = operands.length + 1;
  for (const [key, value] of environment) variables.global('ENVIRON').array.set(key, inputValue(value));
}

async function readArguments(call: CommandCall): Promise<Arguments> {
  const queue = [...call.args];
  const found: Arguments = { sources: [], fieldSeparator: undefined, assignments: [], operands: [] };
  while (/^-./.test(queue[0] ?? '')) {
    const word = queue.shift() ?? '';
    if (word === '--') break;
    const letter = word[1] ?? '';
    if (!'Fvf'.includes(letter)) {
      await call.stderr.write(`awk: unknown option ${word} ignored\n`);
      continue;
    }
    const value = word.length > 2 ? word.slice(2) : queue.shift();
    if (value === undefined) throw new AwkError(`no ${WHAT[letter] ?? ''}`);
    if (letter === 'F') found.fieldSeparator = value === 't' ? '\t' : unescapedSeparator(value);
    else if (letter === 'v') found.assignments.push(value);
    else found.sources.push(await sourceOf(call, value));
  }
  if (found.sources.length === 0) {
    const source = queue.shift();
    if (source === undefined) throw new CommandFailure(USAGE, { bare: true });
    found.sources.push(source);
  }
  found.operands = queue;
  return found;
}

const WHAT: Readonly<Record<string, string>> = { F: 'field separator', v: 'variable name', f: 'program filename' };
const USAGE = "usage: awk [-F fs] [-v var=value] [-f progfile | 'prog'] [file ...]";

function unescapedSeparator(value: string): string {
  return value.replace(/\\t/g, '\t').replace(/\\n/g, '\n');
}

async function sourceOf(call: CommandCall, name: string): Promise<string> {
  if (name === '-' || name === '/dev/stdin') return (await readAll(call.stdin, call.memory)).toString('utf8');
  return readScript(call.machine.shellFiles, pathOf(call, name));
}
