import { spawn } from 'node:child_process';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import { CopyFailure } from '../files/copy-tree.js';
import { flushDisk } from '../files/flush-disk.js';

/** Most characters that are kept of the program's standard error. */
const MAX_STDERR_CHARS = 500;

/** Owners, permissions, times, extended attributes, hard links and holes are kept, as copyTree does. */
const KEPT = ['--numeric-owner', '--xattrs', '--xattrs-include=*', '--sparse'];

/**
 * Yields a tar archive of folders, named by their paths below `root`. `without` are paths that are left out. The program `tar` does it, as
 * Node keeps neither owners nor attributes. Throws CopyFailure with the program's error text.
 */
export async function* packFolders(
  root: string,
  paths: readonly string[],
  { without = [], signal }: { without?: readonly string[]; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Uint8Array> {
  const excluded = without.map((path) => `--exclude=${path}`);
  const words = ['--create', ...KEPT, '--anchored', '--no-wildcards', ...excluded, '--directory', root, '--', ...paths];
  const tar = run(words, signal);
  tar.child.stdin.end();
  try {
    for await (const chunk of tar.child.stdout) yield chunk as Uint8Array;
    await tar.ended;
  } finally {
    tar.child.kill('SIGKILL');
    await tar.ended.catch(() => undefined); // the error was thrown above, or the reader has gone
  }
}

/** Unpacks an archive of packFolders into a folder that exists. Everything is durable when it returns. */
export async function unpackFolders(
  content: AsyncIterable<Uint8Array>,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  const words = ['--extract', ...KEPT, '--same-permissions', '--directory', to];
  const tar = run(words, signal);
  try {
    tar.child.stdout.resume();
    const feeding = begunAhead(feed(content, tar.child.stdin));
    await Promise.race([feeding, tar.ended]);
    await tar.ended;
    // The program ends at the archive's last block. The sender may report a failure after it, such as a folder that was missing.
    await feeding;
  } finally {
    tar.child.kill('SIGKILL');
    // The end is awaited after a failure too, as the program writes into the folder until it ends.
    await tar.ended.catch(() => undefined);
  }
  await flushDisk(to);
}

async function feed(content: AsyncIterable<Uint8Array>, stdin: Writable): Promise<void> {
  const closed = finished(stdin).catch(() => undefined); // an early end is reported by the program's exit status
  for await (const chunk of content) {
    if (!stdin.writable) break;
    if (!stdin.write(chunk)) await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), closed]);
  }
  stdin.end();
  await closed;
}

function run(words: readonly string[], signal: AbortSignal | undefined) {
  const child = spawn('tar', words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { LC_ALL: 'C' },
    ...(signal !== undefined && { signal }),
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  let failure: Error | undefined;
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MAX_STDERR_CHARS)));
  child.stdin.on('error', () => undefined); // the exit status has the reason
  child.once('error', (error) => (failure = error));
  const ended = begunAhead(
    new Promise<void>((resolve, reject) => {
      child.once('close', (status) => {
        if (failure !== undefined) reject(failure);
        else if (status === 0) resolve();
        else reject(new CopyFailure(`tar: ${complaint.trim()}`));
      });
    }),
  );
  return { child, ended };
}
