import { stat } from 'node:fs/promises';

export async function pathExists(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessMissing)) !== undefined;
}

/** Handles the rejection of a file operation: returns undefined if the path does not exist, and throws any other error again. */
export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
