import { spawn } from 'node:child_process';
import { measureTree } from './tree-usage.js';

export interface CopyOptions {
  signal?: AbortSignal | undefined;
  /** 0 to 100. */
  onProgress?: ((percent: number) => void) | undefined;
}

/** Kept of what the program writes on standard error, characters. */
const MOST_COMPLAINT = 500;

/**
 * Copies all of a folder into another one that exists, with owners, permissions, times, extended attributes, hard links and holes, by the
 * program `cp`, as Node keeps neither owners nor attributes. File systems that can share blocks (btrfs, XFS) copy nothing then. Throws
 * CopyFailure, with what the program wrote; a part of the copy is left.
 */
export async function copyTree(from: string, to: string, { signal, onProgress }: CopyOptions = {}): Promise<void> {
  const { entries } = onProgress === undefined ? { entries: 0 } : await measureTree(from);
  const words = ['--archive', '--reflink=auto', '--sparse=auto', '--verbose', '--', `${from}/.`, to];
  const copy = spawn('cp', words, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' }, signal });
  let copied = 0;
  let complaint = '';
  // A line for each entry: counted, not kept, as names are the phone's.
  copy.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === NEWLINE) copied++;
    if (entries > 0) onProgress?.(Math.min(100, Math.floor((copied / entries) * 100)));
  });
  copy.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MOST_COMPLAINT)));
  let failure: Error | undefined;
  copy.once('error', (error) => (failure = error));
  // Also after an abort: until the program has ended, it writes into the folder.
  const status = await new Promise<number | null>((resolve) => copy.once('close', resolve));
  if (failure !== undefined) throw failure;
  if (status !== 0) throw new CopyFailure(complaint.trim(), /No space left|Disk quota/.test(complaint));
}

const NEWLINE = 10;

export class CopyFailure extends Error {
  override name = 'CopyFailure';
  /** Whether the disk was full. */
  readonly noRoom: boolean;

  constructor(message: string, noRoom: boolean) {
    super(message);
    this.noRoom = noRoom;
  }
}
