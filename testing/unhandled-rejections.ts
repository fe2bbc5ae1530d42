/**
 * Returns the reasons of rejections that nobody handled, during `work` and one turn of the event loop after it. Mocha's own listeners,
 * which fail the running test, are put back at the end.
 */
export async function unhandledRejections(work: () => Promise<unknown>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown): void => void reasons.push(reason);
  const mochas = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
    for (const listener of mochas) process.on('unhandledRejection', listener);
  }
  return reasons;
}
