import { complain } from '../complain.js';
import type { Streams } from '../redirect.js';
import type { Shell } from '../shell.js';
import { ShellError } from '../shell-exits.js';

/** A command that works on the shell itself. */
export type Builtin = (call: BuiltinCall) => Promise<number>;

export interface BuiltinCall {
  shell: Shell;
  name: string;
  args: readonly string[];
  streams: Streams;
  signal: AbortSignal;
}

/** Prints `name: message` and returns `status`. */
export function refuse({ name, streams }: BuiltinCall, message: string, status = 1): Promise<number> {
  return complain(streams, `/system/bin/sh: ${name}: ${message}\n`, status);
}

/** Prints `name: message` and ends the script, as errors of special builtins do. */
export async function refuseAndExit(call: BuiltinCall, message: string, status = 1): Promise<never> {
  await refuse(call, message);
  throw new ShellError(status);
}

/** An argument of a builtin: `name`, `name=value` or `name[index]=value`. */
export interface DeclaredWord {
  name: string;
  index: string | undefined;
  append: boolean;
  /** The value. Undefined: nothing is assigned. */
  value: string | undefined;
}

/** Parses a word. Undefined for a word that names no variable. */
export function declaredWord(word: string): DeclaredWord | undefined {
  const match = /^([A-Za-z_]\w*)(?:\[([^\]]+)\])?(?:(\+?)=([\s\S]*))?$/.exec(word);
  if (!match) return undefined;
  return { name: match[1] ?? '', index: match[2], append: match[3] === '+', value: match[4] };
}

/** Assigns the value of a declared word, if it has one. */
export function assignDeclared({ state }: Shell, { name, index, append, value }: DeclaredWord): void {
  if (value === undefined) return;
  const at = index === undefined ? undefined : state.evaluate(index) >>> 0;
  const before = append ? ((at === undefined ? state.variables.get(name) : state.element(name, at)) ?? '') : '';
  state.assign(name, at, before + value);
}
