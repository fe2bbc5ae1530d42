/** The properties of a kind of problem. */
export interface Rule {
  /** The part that sets it: the comparison of phones with the record, a failed job, health checks, another host, the meter, the accounts. */
  source: 'comparison' | 'job' | 'check' | 'host' | 'meter' | 'bookkeeping';
  /**
   * `found`: the phone is found as it should be; `checks`: two checks in a row did not find it; `booked`: the missing accounts are
   * complete; `ended`: the end of the job is written.
   */
  cleared: readonly ('found' | 'started' | 'stopped' | 'checks' | 'booked' | 'ended')[];
  /** 3: the phone cannot be used; 2: it does not work well; 1: about something that is over, or not about the phone. */
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
  /** It runs though it is to be off, or boots without end, and cannot be stopped. */
  not_stopped: unusable,
  stopped_by_itself: { source: 'comparison', cleared: POWER, severity: 3 },
  create: failedJob,
  clone: failedJob,
  start: failedJob,
  stop: failedJob,
  restart: failedJob,
  restore: failedJob,
  delete: failedJob,
  adb: unhealthy,
  identity: unhealthy,
  boot: unhealthy,
  storage: unhealthy,
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
