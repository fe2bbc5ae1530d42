import { stat } from 'node:fs/promises';

export async function pathExists(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessMissing)) !== undefined;
}

/** For the end of a file operation: undefined where there is no such path. Throws what else failed. */
export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
