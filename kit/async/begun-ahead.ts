/**
 * Returns `work`, a promise that is begun now and awaited later, or never. A rejection before anybody awaits it would be an unhandled one,
 * which is an error of the whole process. This function marks it as handled. Whoever awaits `work` later still gets the rejection.
 *
 * The lint rule `begun-promises` requires this function wherever a promise is kept.
 */
export function begunAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
