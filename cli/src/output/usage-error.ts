/** A call that cannot be done as it was written. Its text names the word and what is allowed. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
