import { Code, ConnectError } from '@connectrpc/connect';
import { systemClock } from '../clock.js';

/**
 * What ends a call before its answer: its caller hangs up, or its time is up. The caller is told at once. The implementation can
 * see it in a signal, which is made when it asks: few do, and a signal costs as much as the rest of a call in the same process.
 * The time is real time, as Connect's is.
 */
export class CallLimit {
  readonly #caller: AbortSignal | undefined;
  readonly #timeoutMs: number | undefined;
  #own: AbortController | undefined;
  #reason: unknown;

  constructor(caller: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
  }

  /** For the implementation. */
  get signal(): AbortSignal {
    if (this.#caller !== undefined && this.#timeoutMs === undefined) return this.#caller;
    if (this.#own === undefined) {
      this.#own = new AbortController();
      if (this.#reason !== undefined) this.#own.abort(this.#reason);
    }
    return this.#own.signal;
  }

  /** The answer, unless the end comes first. */
  hold<T>(answer: Promise<T>): Promise<T> {
    const [caller, timeoutMs] = [this.#caller, this.#timeoutMs];
    if (caller === undefined && timeoutMs === undefined) return answer;
    return new Promise((resolve, reject) => {
      const end = (reason: unknown): void => {
        this.#reason = reason;
        this.#own?.abort(reason);
        reject(endError(reason));
      };
      const hangUp = (): void => end(caller?.reason);
      const timeUp = (): void => end(new DOMException('the time of the call is up', 'TimeoutError'));
      const timer = timeoutMs === undefined ? undefined : systemClock.after(Math.max(0, timeoutMs), timeUp);
      if (caller?.aborted === true) hangUp();
      else caller?.addEventListener('abort', hangUp, { once: true });
      answer.then(resolve, reject).finally(() => {
        timer?.cancel();
        caller?.removeEventListener('abort', hangUp);
      });
    });
  }
}

function endError(reason: unknown): ConnectError {
  const isDeadline = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isDeadline
    ? new ConnectError('the operation timed out', Code.DeadlineExceeded)
    : ConnectError.from(reason, Code.Canceled);
}
