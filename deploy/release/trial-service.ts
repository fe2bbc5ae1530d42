import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';

/** How long the service may take to start, ms. */
const START_MS = 90_000;

/** Runs a whole service from the compiled files until `use` has ended. The packages of a release are tried on it. The `url` ends in /v1. */
export async function withService<T>(
  root: string,
  use: (service: { url: string; key: string }) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-release-'));
  const child = spawn(
    'env',
    [
      `DATA_DIR=${directory}`,
      'PORT=0',
      'STATUS_PORT=0',
      'LOG_LEVEL=warn',
      process.execPath,
      join(root, 'dist/start.js'),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    let [printed, complaints] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const deadlineMs = systemClock.monotonicMs() + START_MS;
    while (!printed.includes('Create a phone')) {
      if (child.exitCode !== null || systemClock.monotonicMs() > deadlineMs)
        throw new Error(`The service of this release does not start: ${complaints}`);
      await systemClock.sleep(50);
    }
    const quickstart = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as Record<string, string>;
    return await use({ url: quickstart['base_url'] ?? '', key: quickstart['api_key'] ?? '' });
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}
