import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomText } from './ids.js';

/**
 * The name under which this data folder's phones are owned: `configured` (HOST_ID), else one made up at the first start and kept
 * in the folder, so that two installations on one machine that share a database do not take each other's phones.
 */
export function hostIdOf(dataDirectory: string, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const path = join(dataDirectory, 'host-id');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const id = `${hostname()}-${randomText(4)}`;
  writeFileSync(path, `${id}\n`);
  return id;
}
