import type { Clock } from '../../kit/async/clock.js';
import type { Reservation } from '../memory/memory-budget.js';
import { evaluateArithmetic } from './arithmetic.js';
import type { FunctionNode } from './grammar/syntax-tree.js';
import { ShellTraps } from './shell-traps.js';
import { ShellVariables } from './shell-variables.js';
import { optionLetters, type ShellOption } from './shell-options.js';

/** The state of a shell between commands. A subshell works on a copy. */
export class ShellState {
  cwd = '/';
  lastStatus = 0;
  /** Whether `exit` was run, so that no more is read from the input. */
  exited = false;
  /** Whether an error ended a script, after which a shell reads no more unless it is interactive. */
  failed = false;
  /** The arguments `$1` and on. */
  positional: string[] = [];
  scriptName = 'sh';
  readonly options: Set<ShellOption>;
  /** The background jobs that run, and some that have ended, by process id. */
  readonly jobs = new Map<number, Job>();
  /** The signal that ended this shell. */
  killedBy: number | undefined;
  /** The place at which `getopts` stopped: the word, from 1, and the character in it. */
  optionAt = { index: 1, char: 1 };
  /** `$!` */
  lastJob: number | undefined;
  /** Statuses of the commands of the latest pipeline: `PIPESTATUS`. */
  pipeStatuses: readonly number[] = [0];
  /** The argument of `umask`: the rights that new files do not get. */
  umask: number | undefined;
  /** The values that `ulimit` has set, by letter. */
  readonly limits: Map<string, string>;
  readonly aliases: Map<string, string>;
  readonly traps = new ShellTraps();
  readonly variables: ShellVariables;
  readonly exported: Set<string>;
  readonly pid: number;
  readonly parentPid: number;
  /** Files that `exec` opened, which are closed with the shell. */
  readonly kept: { close(): Promise<void> }[] = [];
  readonly #facts: ShellFacts;
  readonly #startedMs: number;
  readonly #memory: Reservation;
  readonly #functions = new Map<string, FunctionNode>();
  /** For each running function: the values that variables had before it made them local. */
  readonly #locals: Map<string, LocalBefore>[] = [];

  constructor(parts: {
    pid: number;
    parentPid: number;
    memory: Reservation;
    facts: ShellFacts;
    variables?: Iterable<[string, string]>;
    options?: Iterable<ShellOption>;
  }) {
    this.#memory = parts.memory;
    this.#facts = parts.facts;
    this.pid = parts.pid;
    this.parentPid = parts.parentPid;
    this.#startedMs = parts.facts.clock.monotonicMs();
    this.variables = new ShellVariables(parts.memory, parts.variables ?? []);
    this.variables.evaluate = (expression) => this.evaluate(expression);
    this.options = new Set(parts.options);
    this.exported = new Set(this.variables.keys());
    this.aliases = new Map(DEFAULT_ALIASES);
    this.limits = new Map();
  }

  /** Returns the value of an expression. Throws ArithmeticError. */
  evaluate(expression: string): number {
    return evaluateArithmetic(expression, {
      get: (name, index) => (index === undefined ? this.variable(name) : (this.element(name, index) ?? '')),
      set: (name, index, value) => this.assign(name, index, value),
    });
  }

  /** Makes a copy, for which `memory` pays. Throws OutOfMemory. */
  copy(memory: Reservation): ShellState {
    const { pid, parentPid, variables, options } = this;
    const copy = new ShellState({ pid, parentPid, memory, facts: this.#facts, variables, options });
    copy.exported.clear();
    for (const name of this.exported) copy.exported.add(name);
    copy.cwd = this.cwd;
    copy.lastStatus = this.lastStatus;
    copy.positional = [...this.positional];
    copy.scriptName = this.scriptName;
    copy.pipeStatuses = this.pipeStatuses;
    copy.umask = this.umask;
    for (const [letter, value] of this.limits) copy.limits.set(letter, value);
    copy.aliases.clear();
    for (const [name, text] of this.aliases) copy.aliases.set(name, text);
    copy.traps.inherit(this.traps);
    copy.lastJob = this.lastJob;
    for (const [pid, job] of this.jobs) copy.jobs.set(pid, job);
    for (const definition of this.#functions.values()) copy.define(definition);
    return copy;
  }

  function(name: string): FunctionNode | undefined {
    return this.#functions.get(name);
  }

  /** Defines a function. Throws OutOfMemory. */
  define(definition: FunctionNode): void {
    this.#memory.grow(BYTES_PER_SOURCE_CHAR * definition.source.length);
    this.undefine(definition.name);
    this.#functions.set(definition.name, definition);
  }

  undefine(name: string): void {
    const before = this.#functions.get(name);
    if (before) this.#memory.shrink(BYTES_PER_SOURCE_CHAR * before.source.length);
    this.#functions.delete(name);
  }

  /** Runs a function's body with its own arguments; its local variables end with it. */
  async inFunction<T>(args: readonly string[], run: () => Promise<T>): Promise<T> {
    const { positional } = this;
    const bytes = args.reduce((sum, argument) => sum + 2 * argument.length + 32, 0);
    this.#memory.grow(bytes);
    this.positional = [...args];
    try {
      return await this.withLocals(run);
    } finally {
      this.positional = positional;
      this.#memory.shrink(bytes);
    }
  }

  /** Runs a function that may make local variables, which end with it. */
  async withLocals<T>(run: () => Promise<T>): Promise<T> {
    const locals = new Map<string, LocalBefore>();
    this.#locals.push(locals);
    try {
      return await run();
    } finally {
      this.#locals.pop();
      for (const [name, { variable, isExported }] of locals) {
        this.variables.unshelve(name, variable);
        if (isExported) this.exported.add(name);
        else this.exported.delete(name);
      }
    }
  }

  /** Makes a variable local to the running function. Returns false outside of one. */
  makeLocal(name: string): boolean {
    const locals = this.#locals.at(-1);
    if (locals && !locals.has(name)) {
      locals.set(name, { variable: this.variables.shelve(name), isExported: this.exported.has(name) });
      this.exported.delete(name);
    }
    return locals !== undefined;
  }

  /** Sets a variable, or an element of an array. */
  assign(name: string, index: number | undefined, value: string): void {
    if (name === 'SECONDS' || name === 'RANDOM') return;
    if (index === undefined) this.variables.set(name, value);
    else this.variables.setElement(name, index, value);
    if (this.options.has('allexport')) this.exported.add(name);
  }

  /** Defines an alias. Throws RangeError for one too many, or one that is too long. */
  defineAlias(name: string, text: string): void {
    if (this.aliases.size >= MAX_ALIASES || name.length + text.length > MAX_ALIAS_CHARS)
      throw new RangeError('too many aliases');
    this.aliases.set(name, text);
  }

  /** Removes a variable with its attributes. */
  remove(name: string): void {
    this.variables.delete(name);
    this.exported.delete(name);
  }

  functionNames(): string[] {
    return [...this.#functions.keys()].sort();
  }

  /** Returns an element of an array; undefined when it is not set. */
  element(name: string, index: number): string | undefined {
    if (name === 'PIPESTATUS') return this.pipeStatuses[index]?.toString();
    return this.variables.element(name, index);
  }

  /** Returns all elements that are set, in the order of their subscripts. For `@` and `*` these are the arguments. */
  elements(name: string): string[] {
    if (name === '@' || name === '*') return this.positional;
    if (name === 'PIPESTATUS') return this.pipeStatuses.map(String);
    return this.variables.indexes(name).map((index) => this.variables.element(name, index) ?? '');
  }

  /** The separators of fields, `IFS`. */
  get separators(): string {
    return this.variables.get('IFS') ?? ' \t\n';
  }

  /** Returns the value of a variable; empty when it is not set. */
  variable(name: string): string {
    switch (name) {
      case '?':
        return String(this.lastStatus);
      case '$':
        return String(this.pid);
      case '#':
        return String(this.positional.length);
      case '@':
        return this.positional.join(' ');
      case '*':
        return this.positional.join(this.separators.slice(0, 1));
      case '0':
        return this.scriptName;
      case '!':
        return String(this.lastJob ?? '');
      case '-':
        return optionLetters(this.options);
      case 'PWD':
        return this.cwd;
      case 'RANDOM':
        return String(Math.floor(this.#facts.random() * 32_768));
      case 'SECONDS':
        return String(Math.floor((this.#facts.clock.monotonicMs() - this.#startedMs) / 1000));
      case 'EPOCHREALTIME':
        return (this.#facts.clock.now() / 1000).toFixed(6);
      case 'PPID':
        return String(this.parentPid);
      case 'PIPESTATUS':
        return String(this.pipeStatuses[0] ?? 0);
      case 'KSH_VERSION':
        return '@(#)MIRBSD KSH R59 Android';
    }
    if (/^\d+$/.test(name)) return this.positional[Number(name) - 1] ?? '';
    return this.variables.get(name) ?? '';
  }

  isSet(name: string): boolean {
    if (/^[1-9]\d*$/.test(name)) return Number(name) <= this.positional.length;
    if (name === '@' || name === '*') return this.positional.length > 0;
    return this.variables.has(name) || this.variable(name) !== '';
  }

  environment(): Map<string, string> {
    return new Map([...this.exported].flatMap((name) => [[name, this.variables.get(name) ?? ''] as const]));
  }
}

const MAX_ALIASES = 200;
const MAX_ALIAS_CHARS = 4_096;

/** One `command &`. */
export interface Job {
  pid: number;
  /** The number by which `%1` names it. */
  number: number;
  /** The beginning of its command, as `jobs` shows it. */
  text: string;
  /** Resolves with the status when it has ended; never rejects. */
  ended: Promise<number>;
  /** The status. Absent: the job runs. */
  status?: number;
}

/** A variable before a function made a local one in its place. */
interface LocalBefore {
  variable: ReturnType<ShellVariables['shelve']>;
  isExported: boolean;
}

/** The phone, as the shell's own variables show it. */
export interface ShellFacts {
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** Returns a random number, 0 <= n < 1. */
  random: () => number;
}

/** The aliases that mksh has from the start, for commands of its own. */
const DEFAULT_ALIASES: readonly [name: string, text: string][] = [
  ['functions', 'typeset -f'],
  ['integer', 'typeset -i'],
  ['nameref', 'typeset -n'],
  ['nohup', 'nohup '],
];

/** Bytes of memory that are counted for each character of a function. Parsed, it takes far more than its text. */
const BYTES_PER_SOURCE_CHAR = 256;
