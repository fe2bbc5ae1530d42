import { BUILTINS, DECLARING, KEEPING_ASSIGNMENTS } from '../builtins/builtins.js';
import { complain } from '../complain.js';
import { indexOf } from '../expand-parameter.js';
import { addWords, expandAssigned, expandToText, expandWord, type ExpansionHost } from '../expand-word.js';
import { assignmentOf, plainText, type Assignment, type CommandNode, type Node, type Word } from '../grammar/syntax-tree.js'; // prettier-ignore
import type { InnerShell } from '../inner-shell.js';
import { quotedForShell } from '../quoted-for-shell.js';
import type { Streams } from '../redirect.js';
import { runProgram } from '../commands/run-program.js';
import { FunctionReturn } from '../shell-exits.js';
import { keepRedirects, withRedirects } from '../with-redirects.js';

interface Assigned {
  name: string;
  index: number | undefined;
  value: string;
}

/** Runs `NAME=value word ... < file`: a function, a builtin, a program, or the assignments alone. Returns its status. */
export async function runSimpleCommand(
  shell: InnerShell,
  node: CommandNode,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { state } = shell;
  await shell.breathe(streams, signal);
  const host = shell.expansionHost(streams, signal);
  shell.substituted = 0;
  const words = await expandWords(node.words, host);
  const [name] = words;
  if (name === undefined) {
    for (const assignment of node.assignments) assign(shell, await expandAssignment(shell, assignment, host));
    await traceCommand(shell, node.assignments.map(({ name: variable }) => [variable, state.variable(variable)]), [], streams); // prettier-ignore
    return withRedirects(shell, node.redirects, streams, async () => shell.substituted);
  }
  const assigned: Assigned[] = [];
  for (const assignment of node.assignments) assigned.push(await expandAssignment(shell, assignment, host));
  const values = assigned.map((one): [string, string] => [one.name, one.value]);
  await traceCommand(shell, values, words, streams);
  if (name === 'exec' && words.length === 1) return keepRedirects(shell, node.redirects, streams);
  return withRedirects(shell, node.redirects, streams, async (inner) => {
    const called = state.function(name);
    if (called) return call(shell, called.body, words.slice(1), { assigned, streams: inner, signal });
    const builtin = BUILTINS.get(name);
    if (!builtin) return runProgram(shell, words, inner, signal, values);
    const run = (): Promise<number> => builtin({ shell, name, args: words.slice(1), streams: inner, signal });
    if (!KEEPING_ASSIGNMENTS.has(name)) return withAssigned(shell, assigned, run);
    for (const one of assigned) {
      assign(shell, one);
      // `LD_LIBRARY_PATH=/x exec program`: the program must see it.
      if (name === 'exec') state.exported.add(one.name);
    }
    return run();
  });
}

async function expandWords(written: readonly Word[], host: ExpansionHost): Promise<string[]> {
  const words: string[] = [];
  const declares = DECLARING.has(plainText(written[0]) ?? '');
  for (const word of written) {
    const declared = declares && words.length > 0 ? assignmentOf(word) : undefined;
    if (!declared) addWords(words, await expandWord(word, host));
    else {
      const subscript = declared.subscript && `[${await expandToText(declared.subscript, host)}]`;
      const operator = declared.append ? '+=' : '=';
      words.push(`${declared.name}${subscript ?? ''}${operator}${await expandAssigned(declared, host)}`);
    }
  }
  return words;
}

async function expandAssignment({ state }: InnerShell, assignment: Assignment, host: ExpansionHost): Promise<Assigned> {
  const { name, subscript, append } = assignment;
  const index = subscript && indexOf(state, await expandToText(subscript, host));
  const value = await expandAssigned(assignment, host);
  const before = append ? ((index === undefined ? state.variables.get(name) : state.element(name, index)) ?? '') : ''; // prettier-ignore
  return { name, index, value: before + value };
}

function assign({ state }: InnerShell, { name, index, value }: Assigned): void {
  state.assign(name, index, value);
}

/** Runs a builtin or a function with variables that only it has, as in `IFS=: read a b`. */
async function withAssigned(
  shell: InnerShell,
  assigned: readonly Assigned[],
  run: () => Promise<number>,
): Promise<number> {
  if (assigned.length === 0) return run();
  const { state } = shell;
  return state.withLocals(async () => {
    for (const one of assigned) {
      state.makeLocal(one.name);
      assign(shell, one);
      state.exported.add(one.name);
    }
    return run();
  });
}

/** Runs a function of the script. */
async function call(
  shell: InnerShell,
  body: Node,
  args: readonly string[],
  { assigned, streams, signal }: { assigned: readonly Assigned[]; streams: Streams; signal: AbortSignal },
): Promise<number> {
  const { loops } = shell;
  shell.loops = 0;
  try {
    return await shell.state.inFunction(args, () =>
      withAssigned(shell, assigned, async () => {
        try {
          return await shell.evaluate(body, streams, signal);
        } catch (error) {
          if (error instanceof FunctionReturn) return error.status;
          throw error;
        }
      }),
    );
  } finally {
    shell.loops = loops;
  }
}

/** Prints the command, after `set -x`. */
async function traceCommand(
  { state }: InnerShell,
  assigned: readonly (readonly [name: string, value: string])[],
  words: readonly string[],
  streams: Streams,
): Promise<void> {
  if (!state.options.has('xtrace') || assigned.length + words.length === 0) return;
  const shown = [...assigned.map(([name, value]) => `${name}=${quotedForShell(value)}`), ...words.map(quotedForShell)];
  await complain(streams, `${state.variables.get('PS4') ?? '+ '}${shown.join(' ')}\n`, 0);
}
