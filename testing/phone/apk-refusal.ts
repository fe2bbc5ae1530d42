import { ApkError } from '../../phone/apk/apk-error.js';

/** Returns the reason why a file is refused; throws when it is not, or for another error. */
export async function refusalOf(work: Promise<unknown>): Promise<ApkError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApkError) return error;
  throw error instanceof Error ? error : new Error('the file is not refused');
}
