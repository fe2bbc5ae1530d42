import { begunAhead } from '../async/begun-ahead.js';
import type { Clock, Timer } from '../async/clock.js';
import type { Log } from '../log/log.js';
import { within } from '../async/within.js';

/** Rejects when the dependency is not available. Gives up when the signal aborts. */
export type Check = (signal: AbortSignal) => Promise<unknown>;

/** An error of a check whose message is for the operator: it has no secrets, and says what to do. It stands among the problems. */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem';
}

export interface ReadinessReport {
  ready: boolean;
  state: ReadinessState;
  /** The results of the checks, by name. Empty while the service starts or stops, as it takes no traffic then, whatever they are. */
  checks: Readonly<Record<string, 'ok' | 'failing'>>;
}

export type ReadinessState = 'starting' | 'started' | 'stopping';

/** The problems that an operator should see to, one line each. `status` is `ok` when there are none. */
export interface HealthReport {
  status: 'ok' | 'problem';
  problems: readonly string[];
}

/** How long a check may take, ms: below the 1 s that a Kubernetes probe waits by default. */
const CHECK_MS = 800;

/** How often watchers are called without a state change, ms. */
const WATCH_MS = 1_000;

/**
 * Decides whether this process is ready for callers: it has started, is not stopping, and its dependencies respond.
 * There is one for a process; `/readyz` and grpc.health.v1 both report its state.
 */
export class Readiness {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #checks = new Map<string, Check>();
  /** The checks that fail, each with its line among the problems. */
  readonly #failing = new Map<string, string>();
  readonly #remarks: ((signal: AbortSignal) => Promise<readonly string[]>)[] = [];
  readonly #watchers = new Set<() => void>();
  #state: ReadinessState = 'starting';
  #running: Promise<ReadinessReport['checks']> | undefined;
  #timer: Timer | undefined;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  get state(): ReadinessState {
    return this.#state;
  }

  /** Adds a dependency, checked by `check`. Its name is public. */
  needs(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  /**
   * Adds a source of problems that leave this process ready, such as phones that it cannot make. `read` returns one line for each problem.
   */
  remarks(read: (signal: AbortSignal) => Promise<readonly string[]>): void {
    this.#remarks.push(read);
  }

  /**
   * Returns all problems that an operator should see to: failing dependencies, and the problems from `remarks`. It takes at most twice
   * CHECK_MS.
   */
  async health(): Promise<HealthReport> {
    const { state, checks } = await this.report();
    const failing = Object.entries(checks).filter(([, outcome]) => outcome === 'failing');
    const remarks = await Promise.all(
      this.#remarks.map((read) => within({ clock: this.#clock, timeoutMs: CHECK_MS, onTimeout: noResponse }, read)),
    ).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the problems of this host cannot be read');
      return [['the problems of this host cannot be read; the log has the cause']];
    });
    const problems = [
      ...(state === 'started' ? [] : [`the service is ${state}`]),
      ...failing.map(([name]) => this.#failing.get(name) ?? noAnswerOf(name)),
      ...remarks.flat(),
    ];
    return { status: problems.length === 0 ? 'ok' : 'problem', problems };
  }

  /** The service is ready for callers from now on. */
  start(): void {
    if (this.#state === 'starting') this.#turn('started');
  }

  /** Reports not ready from now on, while open requests are still served. Safe to call again. */
  stop(): void {
    if (this.#state !== 'stopping') this.#turn('stopping');
  }

  /** Runs all checks, within CHECK_MS. Concurrent callers share the results. */
  async report(): Promise<ReadinessReport> {
    if (this.#state === 'started') {
      this.#running ??= begunAhead(this.#checkAll().finally(() => (this.#running = undefined)));
      const checks = await this.#running;
      const ready = Object.values(checks).every((outcome) => outcome === 'ok');
      // A stop may have begun meanwhile.
      if (this.state !== 'stopping') return { ready, state: 'started', checks };
    }
    return { ready: false, state: this.#state, checks: {} };
  }

  /** Calls `onChange` at every state change and each second; returns unsubscribe. */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    this.#callWatchersLater();
    return () => this.#watchers.delete(onChange);
  }

  #turn(state: ReadinessState): void {
    this.#state = state;
    for (const onChange of this.#watchers) onChange();
  }

  #callWatchersLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.after(WATCH_MS, () => {
      this.#timer = undefined;
      for (const onChange of this.#watchers) onChange();
      if (this.#watchers.size > 0) this.#callWatchersLater();
    });
  }

  async #checkAll(): Promise<ReadinessReport['checks']> {
    const outcomes = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await this.#outcomeOf(name, check)] as const),
    );
    return Object.fromEntries(outcomes);
  }

  async #outcomeOf(name: string, check: Check): Promise<'ok' | 'failing'> {
    try {
      await within({ clock: this.#clock, timeoutMs: CHECK_MS, onTimeout: noResponse }, check);
      if (this.#failing.delete(name)) this.#log.info({ check: name }, 'responds again');
      return 'ok';
    } catch (error) {
      // Logged once, not at every probe; responses hold only the name.
      if (!this.#failing.has(name)) this.#log.warn({ check: name, err: error }, 'not ready: a dependency fails');
      this.#failing.set(name, error instanceof OperatorProblem ? error.message : noAnswerOf(name));
      return 'failing';
    }
  }
}

function noAnswerOf(name: string): string {
  return `${name} does not respond`;
}

function noResponse(): Error {
  return new Error(`no response in ${CHECK_MS} ms`);
}
