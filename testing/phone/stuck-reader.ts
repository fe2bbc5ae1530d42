import { parentPort } from 'node:worker_threads';

// A reader of APKs that loops for ever on one file, takes all memory on another one, and fails for all others.
parentPort?.on('message', ({ file }: { file: string }) => {
  const kept: number[][] = [];
  while (file === 'loop');
  while (file === 'hunger') kept.push(new Array<number>(100_000).fill(kept.length));
  parentPort?.postMessage({ kind: 'failed', message: 'no room', code: 'ENOSPC' });
});
