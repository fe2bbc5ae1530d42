/** Work of awk that may have to wait. It yields functions; their promises are awaited before the work goes on. */
export type Steps<T> = Generator<() => Promise<void>, T, void>;

/** Waits for `work` within steps. */
export function* waitFor<T>(work: () => Promise<T>): Steps<T> {
  const result: T[] = [];
  yield async () => void result.push(await work());
  return result[0] as T;
}

/**
 * Runs steps to their end. Most work never waits, so that it runs as fast as a plain function. `check` throws when awk must end: memory
 * that it took later would never be given back.
 */
export async function runSteps<T>(steps: Steps<T>, check: () => void): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let failure: { error: unknown } | undefined;
    try {
      await step.value();
      check();
    } catch (error) {
      failure = { error };
    }
    step = failure ? steps.throw(failure.error) : steps.next();
  }
  return step.value;
}
