/**
 * A signal that aborts with the first of `signals`. Unlike `AbortSignal.any`, of which each use leaves a little behind on a
 * signal that lives as long as a phone runs, `unlink` leaves nothing; call it when the work is over.
 */
export function linkAborts(signals: readonly AbortSignal[]): LinkedAbort {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
    unlink();
  };
  const unlink = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  return { signal: controller.signal, abort, unlink };
}

export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Aborts this signal only. */
  abort(): void;
  unlink(): void;
}
