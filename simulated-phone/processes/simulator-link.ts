import { begunAhead } from '../../kit/async/begun-ahead.js';
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Transport } from '@connectrpc/connect';
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { Clock } from '../../kit/async/clock.js';
import { receiveErrors } from '../../kit/rpc/error-crossing.js';
import { processEnvironment } from './process-environment.js';
import { processFolder } from '../host/process-folder.js';
import { simulatorSocketPath } from '../host/socket-path.js';

/** The connection to one simulator process, wherever it runs. */
export interface SimulatorLink {
  transport: Transport;
  /** Whether the process responds. */
  isUp(): Promise<boolean>;
  /** Starts the process when it does not run. Resolves once it responds. */
  ensure(): Promise<void>;
  close(): void;
}

/** How long the process may take until it listens, ms. It loads fonts and the drawing library, which takes 0.3 s on an idle machine. */
const START_MS = 20_000;
const GREET_AGAIN_MS = 20;

/** How long a process that is busy may take to greet, ms. */
const GREETING_MS = 5_000;

/** Pause before a process that ended without having greeted is replaced by a new one, ms. */
const START_AGAIN_MS = 200;

export interface ProcessLinkOptions {
  /** The folder in which the phones are kept. */
  directory: string;
  /** Index of the process. */
  index: number;
  clock: Clock;
  /** The environment of the service, of which the process gets a part. */
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the link to a simulator in a process of its own, over a Unix socket in its folder. The process is detached and outlives this one,
 * so that phones survive a restart of the service. It ends by itself when no driver attends it.
 */
export function linkToProcess({ directory, index, clock, environment }: ProcessLinkOptions): SimulatorLink {
  const own = processFolder(directory, index);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const path = simulatorSocketPath(own);
  let starting: Promise<void> | undefined;
  const start = async (): Promise<void> => {
    if (await greets(path)) return;
    let child = startProcess(directory, index, environment);
    const deadlineMs = clock.monotonicMs() + START_MS;
    while (!(await greets(path))) {
      if (clock.monotonicMs() > deadlineMs) throw new Error(`The simulator did not start. See ${join(own, LOG_FILE)}.`);
      await clock.sleep(child.hasEnded() ? START_AGAIN_MS : GREET_AGAIN_MS);
      // An earlier process no longer listens, but may still be saving its phones. The folder is locked until that process has ended.
      if (child.hasEnded() && !(await greets(path))) child = startProcess(directory, index, environment);
    }
  };
  return {
    ...connectToSocket(path),
    isUp: () => greets(path),
    ensure: () => (starting ??= begunAhead(start().finally(() => (starting = undefined)))),
  };
}

/** Returns a transport over a simulator's socket. */
function connectToSocket(path: string): Pick<SimulatorLink, 'transport' | 'close'> {
  const sessions = new Http2SessionManager('http://simulator', {}, { createConnection: () => connect(path) });
  const transport = createConnectTransport({ baseUrl: 'http://simulator', httpVersion: '2', sessionManager: sessions });
  return { transport: receiveErrors(transport, 'the simulator'), close: () => sessions.abort() };
}

const LOG_FILE = 'simulator.log';

function startProcess(
  directory: string,
  index: number,
  environment: ProcessLinkOptions['environment'],
): { hasEnded: () => boolean } {
  const output = openSync(join(processFolder(directory, index), LOG_FILE), 'a', 0o600);
  const main = fileURLToPath(new URL('../host/main.js', import.meta.url));
  const child = spawn(process.execPath, [main, directory, String(index)], {
    detached: true,
    stdio: ['ignore', output, output],
    env: processEnvironment(environment),
  });
  let ended = false;
  // A system without room for another process reports that by `error`; then there is no `exit`.
  for (const event of ['exit', 'error']) child.once(event, () => (ended = true));
  child.unref();
  closeSync(output);
  return { hasEnded: () => ended };
}

/**
 * Whether a simulator is there and alive. An accepted connection does not prove that, as the kernel accepts it for a process that is being
 * killed, or that hangs. A living process greets at once, as HTTP/2 servers do.
 */
function greets(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (alive: boolean): void => {
      resolve(alive);
      socket.destroy();
    };
    socket.once('data', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.setTimeout(GREETING_MS, () => settle(false));
  });
}
