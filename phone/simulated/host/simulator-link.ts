import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Transport } from '@connectrpc/connect';
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { Clock } from '../../../kit/clock.js';
import { receiveErrors } from '../../../kit/rpc/error-crossing.js';
import { simulatorSocketPath } from './socket-path.js';

/** The way to a simulator, wherever it runs. */
export interface SimulatorLink {
  transport: Transport;
  /**
   * Resolves once the simulator answers, starting it when it does not run. `doubted`: the connection that there is counts for
   * nothing, as after a call that failed on it; it may not have been found out to be dead yet.
   */
  ensure(doubted?: boolean): Promise<void>;
  close(): void;
}

/** How long the process may take until it listens, ms. It loads fonts and the drawing library: 0.3 s on an idle machine. */
const START_MS = 20_000;
const LOOK_AGAIN_MS = 20;

/** How long a simulator that is busy may take to greet, ms. */
const GREETING_MS = 5_000;

/** Pause before it is started anew when it ended without having answered, ms. */
const START_AGAIN_MS = 200;

export interface ProcessLinkOptions {
  /** Where the phones are kept; one simulator for each. */
  directory: string;
  clock: Clock;
  /** The environment of the process, whole. */
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A simulator in a process of its own, reached over a Unix socket in its directory. The process is detached: it outlives this one,
 * so that phones survive a restart of the service, and ends by itself when nobody attends it.
 */
export function linkToProcess({ directory, clock, environment }: ProcessLinkOptions): SimulatorLink {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = simulatorSocketPath(directory);
  const sessions = new Http2SessionManager('http://simulator', {}, { createConnection: () => connect(path) });
  const transport = createConnectTransport({ baseUrl: 'http://simulator', httpVersion: '2', sessionManager: sessions });
  let starting: Promise<void> | undefined;
  const start = async (): Promise<void> => {
    if (await answers(path)) return;
    let begun = startProcess(directory, environment);
    const deadlineMs = clock.monotonicMs() + START_MS;
    while (!(await answers(path))) {
      if (clock.monotonicMs() > deadlineMs)
        throw new Error(`The simulator did not start. See ${join(directory, 'simulator.log')}.`);
      await clock.sleep(begun.ended() ? START_AGAIN_MS : LOOK_AGAIN_MS);
      // The one before it no longer listens, but may be saving its phones yet, and holds the folder until it has ended.
      if (begun.ended() && !(await answers(path))) begun = startProcess(directory, environment);
    }
  };
  return {
    transport: receiveErrors(transport, 'the simulator'),
    ensure: (doubted = false) => {
      if (!doubted && (sessions.state() === 'open' || sessions.state() === 'idle')) return Promise.resolve();
      starting ??= start().finally(() => (starting = undefined));
      return starting;
    },
    close: () => sessions.abort(),
  };
}

function startProcess(directory: string, environment: ProcessLinkOptions['environment']): { ended: () => boolean } {
  const output = openSync(join(directory, 'simulator.log'), 'a', 0o600);
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [main, directory], {
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
  });
  let ended = false;
  // A system without room for another process tells it by the event `error`, and then there is no `exit`.
  for (const event of ['exit', 'error']) child.once(event, () => (ended = true));
  child.unref();
  closeSync(output);
  return { ended: () => ended };
}

/**
 * Whether a simulator is there and alive. That it can be connected to says little: the kernel accepts for a process that is just
 * being killed, or that hangs. A living one greets at once, as HTTP/2 servers do.
 */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const tell = (alive: boolean): void => {
      resolve(alive);
      socket.destroy();
    };
    socket.once('data', () => tell(true));
    socket.once('error', () => tell(false));
    socket.once('close', () => tell(false));
    socket.setTimeout(GREETING_MS, () => tell(false));
  });
}
