import { readFile } from 'node:fs/promises';
import { UsageError } from '../output/usage-error.js';
import { fileFailure } from '../output/file-failure.js';
import { readInput } from '../output/read-input.js';
import type { Terminal } from '../output/terminal.js';

/** Reads the body of a request from a file, or from standard input for `-`. The service checks the content. */
export async function readBody<T>(file: string, { input }: Terminal, signal: AbortSignal): Promise<T> {
  const text = await (file === '-' ? readInput(input, signal) : readFile(file, 'utf8')).catch((error: unknown) => {
    throw fileFailure(file, error);
  });
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
