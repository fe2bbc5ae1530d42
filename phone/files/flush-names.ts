import { open } from 'node:fs/promises';

/** Makes the names in a folder durable. Without it, a loss of power may undo a rename after something was noted that relies on it. */
export async function flushNames(folder: string): Promise<void> {
  const opened = await open(folder);
  await opened.sync().finally(() => opened.close());
}
