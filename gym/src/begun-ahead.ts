/** Returns the promise of work that was begun ahead. Its failure is seen by who awaits it, and never by nobody. */
export function begunAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
