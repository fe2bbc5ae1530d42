import type { Call } from '../../kit/call/call.js';
import { ApiError, type ErrorKind } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import { unmetText } from './expectation.js';
import { DoneInPart, type Step } from './step.js';

/** The failure of a step, as a part of the outcome. */
export interface StepFailure {
  step: number;
  kind: ErrorKind;
  message: string;
  /** Whether input of the step was sent, so that the step may have been done. */
  sent: boolean;
}

/** Whether the phone has refused the command of a step: then nothing was done, though it was sent. */
export function isNoEffect({ action }: Step, error: unknown): boolean {
  const isRefused = error instanceof ApiError && error.kind === 'not_found';
  return isRefused && (action.kind === 'open_app' || action.kind === 'open_url');
}

/** Kinds of errors that a time limit can cause: the command is broken off, or the phone reaches its own limit. */
const ENDED: readonly ErrorKind[] = ['timeout', 'unavailable', 'internal'];

const FAULT = 'The service has a fault, which it has logged.';

const MAY_BE_DONE = 'Its input was sent, so it may have been done: observe before you repeat it.';

/**
 * Returns the error as a part of the response. Throws some errors in place of that when no step is done and no input was sent. The caller
 * can then repeat the request.
 */
export function failureOf(
  error: unknown,
  {
    stepsDone,
    mayThrow,
    sent,
    soFar,
  }: { stepsDone: number; mayThrow: boolean; sent: boolean; soFar: string | undefined },
  { signal, remainingMs }: Call,
  log: Log,
): { kind: ErrorKind; message: string } {
  // An error with a reason of its own is more useful than "the time was up". The time may also have ended only after the error.
  const hasReason = error instanceof ApiError && !ENDED.includes(error.kind);
  if (!hasReason && (signal.aborted || remainingMs() === 0)) {
    const reached = soFar === undefined ? '' : `: ${soFar}`;
    const message = sent
      ? `The time was up during this step${reached}. ${MAY_BE_DONE}`
      : `The time was up before this step was done${reached}.`;
    return { kind: 'timeout', message: `${message} Allow more timeout_ms.` };
  }
  if (!(error instanceof ApiError) || error.kind === 'internal') {
    if (stepsDone === 0 && !sent) throw error;
    log.error({ err: error }, 'a step failed');
    return { kind: 'internal', message: sent ? `${FAULT} ${MAY_BE_DONE}` : FAULT };
  }
  const { kind, message } = error;
  if (error instanceof DoneInPart) return { kind, message };
  const sendersFault = kind === 'not_found' || kind === 'bad_request';
  if (stepsDone === 0 && !sent && (kind === 'unavailable' || (mayThrow && sendersFault))) throw error;
  return { kind, message: sent ? `${message} ${MAY_BE_DONE}` : message };
}

/** The message for an expectation that did not come true. */
export function unmet({ expect }: Step): string {
  return `The expectation of the step did not come true in time: ${expect === undefined ? 'nothing' : unmetText(expect)}.`;
}
