/**
 * Returns `work`, a promise that is begun now and awaited later. A rejection before anybody awaits it would end the program. This function
 * marks it as handled. Whoever awaits `work` later still gets the rejection.
 */
export function begunAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
