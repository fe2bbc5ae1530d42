import type { Reservation } from '../memory/memory-budget.js';
import { ShellVariables } from './shell-variables.js';

/** What a shell remembers between commands. A subshell works on a copy. */
export class ShellState {
  cwd = '/';
  lastStatus = 0;
  /** Whether `exit` was run: no more is read from the input. */
  exited = false;
  /** `$1` and on. */
  positional: string[] = [];
  scriptName = 'sh';
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  readonly pid: number;

  constructor(options: { pid: number; memory: Reservation; variables?: Iterable<[string, string]> }) {
    this.pid = options.pid;
    this.variables = new ShellVariables(options.memory, options.variables ?? []);
    this.exported = new Set(this.variables.keys());
  }

  /** `memory` pays for the copy. Throws OutOfMemory. */
  copy(memory: Reservation): ShellState {
    const copy = new ShellState({ pid: this.pid, memory, variables: this.variables });
    copy.exported.clear();
    for (const name of this.exported) copy.exported.add(name);
    copy.cwd = this.cwd;
    copy.lastStatus = this.lastStatus;
    copy.positional = [...this.positional];
    copy.scriptName = this.scriptName;
    return copy;
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
      case '-':
        return '';
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
