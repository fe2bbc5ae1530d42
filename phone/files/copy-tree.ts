import { spawn } from 'node:child_process';
import { measureTree } from './tree-usage.js';

export interface CopyOptions {
  signal?: AbortSignal | undefined;
  /** 0 to 100. */
  onProgress?: ((percent: number) => void) | undefined;
  /** Leaves files that the target has already with the same time. Any other file of the same name is replaced, and never written into. */
  onlyMissing?: boolean;
  /** Makes hard links to the files in place of copies. Throws CopyFailure where one cannot be made. */
  link?: boolean;
}

/** The most characters that are kept of the program's standard error. */
const MAX_STDERR_CHARS = 500;

/**
 * Copies all of a folder into another one that exists: owners, permissions, times, extended attributes, hard links and holes. It runs the
 * program `cp`, as Node keeps neither owners nor attributes. File systems that can share blocks (btrfs, XFS) share them in place of a copy.
 * Throws CopyFailure with the program's error text, and leaves what was copied.
 */
export async function copyTree(
  from: string,
  to: string,
  { signal, onProgress, onlyMissing = false, link = false }: CopyOptions = {},
): Promise<void> {
  const { entries } = onProgress === undefined ? { entries: 0 } : await measureTree(from);
  const missing = onlyMissing ? ['--update', '--remove-destination'] : [];
  const how = link ? ['--link'] : ['--reflink=auto', '--sparse=auto'];
  const words = ['--archive', ...how, '--verbose', ...missing, '--', `${from}/.`, to];
  const copy = spawn('cp', words, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' }, signal });
  let copied = 0;
  let complaint = '';
  // The program writes a line for each entry. Lines are counted and not kept, as the phone chooses the names in them.
  copy.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === NEWLINE) copied++;
    if (entries > 0) onProgress?.(Math.min(100, Math.floor((copied / entries) * 100)));
  });
  copy.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MAX_STDERR_CHARS)));
  let failure: Error | undefined;
  copy.once('error', (error) => (failure = error));
  // The end is awaited after an abort too, as the program writes into the folder until it ends.
  const status = await new Promise<number | null>((resolve) => copy.once('close', resolve));
  if (failure !== undefined) throw failure;
  if (status !== 0) throw new CopyFailure(complaint.trim());
}

const NEWLINE = 10;

/** A program that copies, packs or unpacks folders has failed. `message` is its error text. */
export class CopyFailure extends Error {
  override name = 'CopyFailure';
  /** Whether the disk was full. */
  readonly noRoom: boolean;

  constructor(message: string) {
    super(message);
    this.noRoom = /No space left|Disk quota/.test(message);
  }
}
