/** The signals that the shell knows, by their numbers on Linux. */
export const SIGNALS: ReadonlyMap<number, string> = new Map(
  [
    'HUP', 'INT', 'QUIT', 'ILL', 'TRAP', 'ABRT', 'BUS', 'FPE', 'KILL', 'USR1', 'SEGV', 'USR2', 'PIPE', 'ALRM', 'TERM', 'STKFLT', 'CHLD',
    'CONT', 'STOP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'XCPU', 'XFSZ', 'VTALRM', 'PROF', 'WINCH', 'IO', 'PWR', 'SYS',
  ].map((name, at): [number, string] => [at + 1, name]),
); // prettier-ignore

export const SIGINT = 2;
export const SIGKILL = 9;
export const SIGTERM = 15;

const HARMLESS: ReadonlySet<string> = new Set(['CHLD', 'CONT', 'URG', 'WINCH']);

/** Whether the signal ends a process that has no trap for it. */
export function endsProcess(signal: number): boolean {
  return !HARMLESS.has(SIGNALS.get(signal) ?? '');
}

/** Signals that stop a process. Processes of this phone do not stop. */
export const STOPPING: ReadonlySet<string> = new Set(['STOP', 'TSTP', 'TTIN', 'TTOU']);

/**
 * Returns the number of `TERM`, `SIGTERM` or `15`. 0 is the signal that only tests whether a process exists. Undefined: there is no such
 * signal.
 */
export function signalNumber(word: string): number | undefined {
  if (word === '0') return 0;
  if (/^\d+$/.test(word)) return SIGNALS.has(Number(word)) ? Number(word) : undefined;
  const name = word.toUpperCase().replace(/^SIG/, '');
  for (const [number, known] of SIGNALS) if (known === name) return number;
  return undefined;
}
