import { CloudPhoneError } from '../../../client/src/errors.js';
import { UsageError } from './usage-error.js';

/** The exit statuses beside 0. docs/cli.md has this table. */
export const STATUS = { refused: 1, usage: 2, unreachable: 3, notFound: 4, busy: 5, timeUp: 124 } as const;

/** The meaning of each status, for help and docs/cli.md. */
export const STATUS_TEXTS: readonly (readonly [status: number, meaning: string])[] = [
  [STATUS.refused, 'The service refused, a job failed, or a file could not be used.'],
  [STATUS.usage, 'The command is not written as it should be, or no service is known.'],
  [STATUS.unreachable, 'The service cannot be reached, or is away for now.'],
  [STATUS.notFound, 'The phone, job, snapshot, app, file, lease, pool or template does not exist.'],
  [
    STATUS.busy,
    'The phone is not in a state for this, another job is at work on it, or its lease is not (or no longer) yours.',
  ],
  [STATUS.timeUp, 'The time was up.'],
];

/** A failure that is not the service's, with its exit status. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;

  constructor(message: string, status: number = STATUS.refused) {
    super(message);
    this.status = status;
  }
}

/** The program was ended from outside: `status` is that of shells, 128 and the number of the signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly status: number;

  constructor(status: number) {
    super('The command was ended.');
    this.status = status;
  }
}

/** Returns the exit status of an error of the service, by its kind. */
export function statusOfKind(kind: string): number {
  if (kind === 'unreachable' || kind === 'unavailable') return STATUS.unreachable;
  if (kind === 'not_found') return STATUS.notFound;
  if (kind === 'busy') return STATUS.busy;
  if (kind === 'timeout') return STATUS.timeUp;
  return STATUS.refused;
}

/** Returns the exit status for anything thrown. */
export function statusOf(error: unknown): number {
  if (error instanceof CloudPhoneError) return statusOfKind(error.kind);
  if (error instanceof UsageError) return STATUS.usage;
  return error instanceof Failure || error instanceof Interrupted ? error.status : STATUS.refused;
}

/** Returns the lines for people about anything thrown: what failed, and what to do next. */
export function failureText(error: unknown): string {
  if (!(error instanceof CloudPhoneError)) return error instanceof Error ? error.message : String(error);
  const { kind, message, requestId } = error;
  const isOurs = kind === 'internal' || kind === 'unexpected';
  return [
    message,
    ...(kind === 'unauthorized' ? ['Log in with a good key: cloudphone login'] : []),
    ...(isOurs && requestId !== undefined ? [`Give the operator this id of the request: ${requestId}`] : []),
  ].join('\n');
}

/** Returns the error object of --json. Kinds that are not the API's are `unreachable`, `unexpected`, `usage` and `failed`. */
export function failureObject(error: unknown): { error: string; message: string } {
  const kind = error instanceof CloudPhoneError ? error.kind : error instanceof UsageError ? 'usage' : 'failed';
  return { error: kind, message: error instanceof Error ? error.message : String(error) };
}
