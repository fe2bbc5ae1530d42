import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../kit/async/clock.js';

/** A service that was started for the check, on a data folder of its own. */
export interface OwnService {
  url: string;
  key: string;
  stop(): Promise<void>;
}

/** The longest time for a start, ms. A first start may have to adopt phones and pull images. */
const START_MS = 300_000;

const START = fileURLToPath(new URL('../start.js', import.meta.url));

/**
 * Starts the service with the operator's settings, on free ports. Throws an error with the last lines of its log when it does not start.
 */
export async function startOwnService(environment: NodeJS.ProcessEnv): Promise<OwnService> {
  const directory = await mkdtemp(join(tmpdir(), 'check-phones-data-'));
  const env = { ...environment, DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'warn', ALLOW_PRIVATE_TARGETS: 'on' };
  const child = spawn(process.execPath, [START], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-2_000)));
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    const found = await quickstartIn(directory);
    if (found !== undefined && (await isReady(found))) return { ...found, stop };
    if (child.exitCode === null && performance.now() < deadlineMs) {
      await systemClock.sleep(100);
      continue;
    }
    await stop();
    throw new Error(`the service did not start: ${complaints.trim()}`);
  }
}

async function quickstartIn(directory: string): Promise<{ url: string; key: string } | undefined> {
  try {
    const text = await readFile(join(directory, 'quickstart.json'), 'utf8');
    const { base_url: url, api_key: key } = JSON.parse(text) as { base_url: string; api_key: string };
    return { url, key };
  } catch {
    // The file is not there yet, or only a part of it is written.
    return undefined;
  }
}

async function isReady({ url, key }: { url: string; key: string }): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${url}/models`, { headers }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
