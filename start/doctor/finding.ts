/** What a check found. */
export interface Finding {
  /** The name of the check, such as `disk`. */
  check: string;
  /** `warn`: the service runs, and this should be seen to. `skipped`: it does not matter here, or cannot be seen from here. */
  outcome: 'ok' | 'warn' | 'fail' | 'skipped';
  /** What was found, as one line. */
  found: string;
  /** What to do. Absent: nothing. */
  next?: string;
}

/** The parts of the machine that checks read. */
export interface Machine {
  /** Returns the text of a file; undefined where it cannot be read. */
  readText: (path: string) => Promise<string | undefined>;
  /** Returns the status and body of an HTTP request; undefined where nothing responds in time. */
  ask: (request: { url: string; socketPath?: string }) => Promise<{ status: number; body: string } | undefined>;
  /** Runs a program and returns its output; undefined where it is missing or fails. */
  run: (program: string, words: readonly string[]) => Promise<string | undefined>;
  now: () => number;
}

export function ok(check: string, found: string): Finding {
  return { check, outcome: 'ok', found };
}

export function warn(check: string, found: string, next: string): Finding {
  return { check, outcome: 'warn', found, next };
}

export function fail(check: string, found: string, next: string): Finding {
  return { check, outcome: 'fail', found, next };
}

export function skipped(check: string, found: string): Finding {
  return { check, outcome: 'skipped', found };
}
