/** The properties of a kind of problem. */
export interface Rule {
  /**
   * The part that sets the problem: the comparison of phones with the record, a failed job, health checks, another host, the meter, or
   * bookkeeping.
   */
  source: 'comparison' | 'job' | 'check' | 'host' | 'meter' | 'bookkeeping';
  /**
   * The events that clear the problem:
   * - `found`: the phone is found as it should be.
   * - `started`, `stopped`: a job has started or stopped the phone.
   * - `checks`: two checks in a row did not find the problem.
   * - `booked`: the late bookkeeping is complete.
   * - `ended`: the end of the job is written.
   */
  cleared: readonly ('found' | 'started' | 'stopped' | 'checks' | 'booked' | 'ended')[];
  /**
   * How severe the problem is. 3: the phone cannot be used. 2: the phone does not work well. 1: the problem is over, or not about the
   * phone.
   */
  severity: 1 | 2 | 3;
}

const POWER = ['started', 'stopped'] as const;
const unusable: Rule = { source: 'comparison', cleared: ['found', ...POWER], severity: 3 };
export const failedJob: Rule = { source: 'job', cleared: POWER, severity: 1 };
const unhealthy: Rule = { source: 'check', cleared: ['checks', ...POWER], severity: 2 };

/** Every kind of problem that a device can have. */
export const PROBLEMS = {
  data_lost: unusable,
  broken: unusable,
  /** The phone is to be off, but is on or boots without end, and cannot be stopped. */
  not_stopped: unusable,
  stopped_by_itself: { source: 'comparison', cleared: POWER, severity: 3 },
  create: failedJob,
  clone: failedJob,
  start: failedJob,
  stop: failedJob,
  restart: failedJob,
  restore: failedJob,
  delete: failedJob,
  move: failedJob,
  upgrade: failedJob,
  adb: unhealthy,
  identity: unhealthy,
  boot: unhealthy,
  /** Also set by the meter, which stops the phone. It stays while the phone is off, as the files are still there. */
  storage: { ...unhealthy, cleared: ['checks', 'started'] },
  screen: unhealthy,
  exit: unhealthy,
  host_away: { source: 'host', cleared: ['found', ...POWER], severity: 1 },
  balance: { source: 'meter', cleared: ['started'], severity: 1 },
  bookkeeping: { source: 'bookkeeping', cleared: ['started', 'booked'], severity: 1 },
  job_end: { source: 'bookkeeping', cleared: ['ended', ...POWER], severity: 1 },
} as const satisfies Record<string, Rule>;

export type ProblemKind = keyof typeof PROBLEMS;
/** The kinds that health checks find. */
export type FindingKind = 'adb' | 'identity' | 'boot' | 'storage' | 'screen' | 'exit';
