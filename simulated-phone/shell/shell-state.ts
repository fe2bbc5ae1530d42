import type { Reservation } from '../memory/memory-budget.js';
import type { FunctionNode } from './grammar/syntax-tree.js';
import { ShellVariables } from './shell-variables.js';
import { optionLetters, type ShellOption } from './shell-options.js';

/** The state of a shell between commands. A subshell works on a copy. */
export class ShellState {
  cwd = '/';
  lastStatus = 0;
  /** Whether `exit` was run: no more is read from the input. */
  exited = false;
  /** `$1` and on. */
  positional: string[] = [];
  scriptName = 'sh';
  readonly options: Set<ShellOption>;
  /** Exit statuses of the background jobs that run, and of some that have ended, by process id; never rejected. */
  readonly jobs = new Map<number, Promise<number>>();
  /** `$!` */
  lastJob: number | undefined;
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  readonly pid: number;
  readonly #memory: Reservation;
  readonly #functions = new Map<string, FunctionNode>();
  /** For each running function, the values that its local variables had before. */
  readonly #locals: Map<string, string | undefined>[] = [];

  constructor(parts: {
    pid: number;
    memory: Reservation;
    variables?: Iterable<[string, string]>;
    options?: Iterable<ShellOption>;
  }) {
    this.#memory = parts.memory;
    this.pid = parts.pid;
    this.variables = new ShellVariables(parts.memory, parts.variables ?? []);
    this.options = new Set(parts.options);
    this.exported = new Set(this.variables.keys());
  }

  /** `memory` pays for the copy. Throws OutOfMemory. */
  copy(memory: Reservation): ShellState {
    const copy = new ShellState({ pid: this.pid, memory, variables: this.variables, options: this.options });
    copy.exported.clear();
    for (const name of this.exported) copy.exported.add(name);
    copy.cwd = this.cwd;
    copy.lastStatus = this.lastStatus;
    copy.positional = [...this.positional];
    copy.scriptName = this.scriptName;
    for (const definition of this.#functions.values()) copy.define(definition);
    return copy;
  }

  function(name: string): FunctionNode | undefined {
    return this.#functions.get(name);
  }

  /** Throws OutOfMemory. */
  define(definition: FunctionNode): void {
    this.#memory.grow(BYTES_PER_SOURCE_CHAR * definition.sourceChars);
    this.undefine(definition.name);
    this.#functions.set(definition.name, definition);
  }

  undefine(name: string): void {
    const before = this.#functions.get(name);
    if (before) this.#memory.shrink(BYTES_PER_SOURCE_CHAR * before.sourceChars);
    this.#functions.delete(name);
  }

  /** Runs a function's body with its own arguments; its local variables end with it. */
  async inFunction<T>(args: readonly string[], run: () => Promise<T>): Promise<T> {
    const { positional } = this;
    const locals = new Map<string, string | undefined>();
    const bytes = args.reduce((sum, argument) => sum + 2 * argument.length + 32, 0);
    this.#memory.grow(bytes);
    this.positional = [...args];
    this.#locals.push(locals);
    try {
      return await run();
    } finally {
      this.positional = positional;
      this.#memory.shrink(bytes);
      this.#locals.pop();
      for (const [name, value] of locals) {
        if (value === undefined) this.variables.delete(name);
        else this.variables.set(name, value);
      }
    }
  }

  /** Makes a variable local to the running function. Returns false outside of one. */
  makeLocal(name: string): boolean {
    const locals = this.#locals.at(-1);
    if (locals && !locals.has(name)) locals.set(name, this.variables.get(name));
    return locals !== undefined;
  }

  /** Empty when unset. */
  variable(name: string): string {
    switch (name) {
      case '?':
        return String(this.lastStatus);
      case '$':
        return String(this.pid);
      case '#':
        return String(this.positional.length);
      case '@':
      case '*':
        return this.positional.join(' ');
      case '0':
        return this.scriptName;
      case '!':
        return String(this.lastJob ?? '');
      case '-':
        return optionLetters(this.options);
      case 'PWD':
        return this.cwd;
    }
    if (/^\d+$/.test(name)) return this.positional[Number(name) - 1] ?? '';
    return this.variables.get(name) ?? '';
  }

  isSet(name: string): boolean {
    return this.variables.has(name) || this.variable(name) !== '';
  }

  environment(): Map<string, string> {
    return new Map([...this.exported].flatMap((name) => [[name, this.variables.get(name) ?? ''] as const]));
  }
}

/** A parsed function takes far more than its text. */
const BYTES_PER_SOURCE_CHAR = 256;
