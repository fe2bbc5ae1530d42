import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { systemClock } from '../kit/async/clock.js';
import { readKept } from '../kit/files/kept-text.js';
import { silentLog } from '../kit/log/log.js';
import { MESH_TOKEN_FILE } from '../kit/service/mesh-token.js';
import { connectMongo } from '../kit/db/mongo.js';

/** A whole service as its own process, as `npm start` runs it. */
export interface Installation {
  /** With /v1. */
  baseUrl: string;
  key: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** The token that the services made for themselves, with which tests call internal rpcs. Undefined: they have MESH_TOKEN, or are older. */
  meshToken: string | undefined;
  /** Where /metrics, /livez and /readyz are. */
  opsUrl: string;
  pid: number;
  /** With a channel for messages. */
  process: ChildProcess;
  /** Its output for people. */
  printed: () => string;
  /** Its log and complaints. */
  logged: () => string;
  /** SIGTERM; returns the exit status. */
  stop(): Promise<number | null>;
  /** SIGKILL: nothing is tidied up. */
  kill(): Promise<void>;
}

/** Settings of a service whose keys may make any number of requests: tests poll, and a test of the limits sets its own. */
export const WITHOUT_RATE_LIMITS = { KEY_REQUESTS_PER_MINUTE: '1000000', DEVICE_REQUESTS_PER_MINUTE: '1000000' };

/** How long a start may take, ms; far above what it does take. */
const START_MS = 90_000;

/** Data folders that were started on, until they are removed. */
const started = new Set<string>();

/** Starts a service on the data folder `directory`, on free ports, and waits until it responds. Remove its data with removeData. */
export async function startInstallation(options: {
  directory: string;
  /** Path of the compiled start.js. */
  start: string;
  environment?: Record<string, string>;
  /** Before the script, for Node. */
  nodeArguments?: readonly string[];
}): Promise<Installation> {
  started.add(options.directory);
  // One process for phones: each takes seconds of a processor to start.
  const own = { MONGODB_DATABASE: databaseOf(options.directory), SIMULATED_PROCESSES: '1', ...WITHOUT_RATE_LIMITS };
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), options.start], {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: options.directory, ...own, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  let complaints = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  const deadlineMs = performance.now() + START_MS;
  while (!printed.includes('Create a phone')) {
    if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}: ${complaints}`);
    if (performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`it did not start: ${complaints}`);
    }
    await systemClock.sleep(5);
  }
  const quickstart = JSON.parse(readFileSync(join(options.directory, 'quickstart.json'), 'utf8')) as {
    base_url: string;
    api_key: string;
    grpc: { device: string; screen: string; relay: string; webhook: string };
    ops_url: string;
  };
  return {
    baseUrl: quickstart.base_url,
    key: quickstart.api_key,
    grpc: quickstart.grpc,
    meshToken: readKept(join(options.directory, MESH_TOKEN_FILE)),
    opsUrl: quickstart.ops_url,
    pid: child.pid ?? 0,
    process: child,
    printed: () => printed,
    logged: () => complaints,
    stop: () => end(child, 'SIGTERM', exited),
    kill: async () => {
      await end(child, 'SIGKILL', exited);
    },
  };
}

function end(child: ChildProcess, signal: NodeJS.Signals, exited: Promise<number | null>): Promise<number | null> {
  child.kill(signal);
  return exited;
}

/** Removes the folder and, with MONGODB_URL, the databases of all installations whose data folders are it or in it. Stop them first. */
export async function removeData(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const url = process.env['MONGODB_URL'];
  for (const directory of started) {
    if (directory !== folder && !directory.startsWith(folder + sep)) continue;
    started.delete(directory);
    if (url === undefined) continue;
    const connection = await connectMongo({ url, database: databaseOf(directory), log: silentLog });
    await connection.database.dropDatabase();
    await connection.close();
  }
}

/** A database that no other installation uses when all of them have one MONGODB_URL, and the same one after a restart. */
export function databaseOf(directory: string): string {
  return `test_${createHash('sha256').update(directory).digest('hex').slice(0, 20)}`;
}
