import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { lineOf, MARK, markedBy } from './run-guard/processes.js';
import { until } from './until.js';

const SWEEPER = fileURLToPath(new URL('./run-guard/main.js', import.meta.url));

/** How long marked processes have to end after the tests, ms. Nothing that a test stops takes as long. */
const END_MS = 10_000;

/**
 * Makes sure that a run of the tests leaves no process behind. Mocha loads this file before the tests, in its main process and in its
 * workers.
 *
 * Every process of the run has the run's mark in its environment, and passes it on to processes that it starts. At the end of the tests
 * none may be left but mocha's own. If the run ends earlier, a separate process (run-guard/main.ts) ends the rest. It is needed as a signal
 * to npm reaches neither mocha nor the processes that the tests have started.
 */
const isMain = process.env[MARK] === undefined && process.platform === 'linux';
if (isMain) {
  process.env[MARK] = randomUUID();
  const { [MARK]: mark = '', ...unmarked } = process.env;
  const options = {
    detached: true,
    env: unmarked,
    stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'],
  };
  const sweeper = spawn(process.execPath, [SWEEPER, mark, String(process.pid)], options);
  // Neither the process nor its pipe keeps mocha from ending. The pipe closes when mocha ends.
  sweeper.unref();
  (sweeper.stdin as unknown as { unref(): void }).unref();
}

/** Called by mocha in its main process, after all tests. */
export async function mochaGlobalTeardown(): Promise<void> {
  const mark = process.env[MARK];
  if (!isMain || mark === undefined) return;
  const left = (): string[] =>
    markedBy(mark)
      .map(lineOf)
      .filter((line) => line !== '' && !line.includes('/mocha/'));
  await until(() => left().length === 0, END_MS).catch(() => undefined);
  const lines = left();
  if (lines.length > 0) throw new Error(`the tests have left processes behind:\n${lines.join('\n')}`);
}
