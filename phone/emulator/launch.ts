import { spawn } from 'node:child_process';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../kit/clock.js';
import { unlessAborted } from '../../kit/within.js';
import { PhoneFailure } from '../driver.js';
import type { KeeperPlan, KeeperReport } from './keeper/keeper-messages.js';
import { inNamespace } from './namespace.js';

const KEEPER = fileURLToPath(new URL('keeper/main.js', import.meta.url));

/** A keeper passes bytes on: with this it stays near 50 MB, ms of pauses included. */
const KEEPER_FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1'];

export interface Launch extends Pick<KeeperPlan, 'avd' | 'command' | 'times'> {
  /** The phone's folder, and as its processes see it. */
  folder: string;
  seen: string;
  environment: Record<string, string>;
  isRoot: boolean;
  /** Where ADB is published: `port` if it is free, else another one. */
  host: string;
  port: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/**
 * Starts an emulator with its keeper, in a session of its own, and returns once it has its ports. Throws PhoneFailure where it ends
 * before that. The keeper takes over the server for ADB, so it goes on without this process.
 */
export async function launch(options: Launch): Promise<void> {
  const { avd, command, times, folder, environment, signal } = options;
  signal?.throwIfAborted();
  const server = await listen(options.host, options.port, options.clock);
  const { port } = server.address() as net.AddressInfo;
  const [program, words] = inNamespace(options, [process.execPath, ...KEEPER_FLAGS, KEEPER]);
  const keeper = spawn(program, words, {
    cwd: folder,
    detached: true,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  keeper.stderr?.on('data', (part: Buffer) => (complaint = `${complaint}${part.toString()}`.slice(0, 2_000)));
  try {
    const reported = new Promise<KeeperReport>((resolve, reject) => {
      keeper.once('message', (message) => resolve(message as KeeperReport));
      keeper.once('error', reject);
      keeper.once('exit', (code, by) => reject(new Error(`the keeper of an emulator ended (${code ?? by}): ${complaint.trim()}`))); // prettier-ignore
      const plan: KeeperPlan = { avd, command, times, host: options.host, port };
      keeper.send(plan, server, (error) => {
        server.close();
        if (error) reject(error);
      });
    });
    const report = await (signal === undefined ? reported : unlessAborted(signal, reported));
    if ('failed' in report) throw new PhoneFailure(report.failed);
  } finally {
    server.close();
    keeper.removeAllListeners('exit').on('error', () => undefined);
    keeper.stderr?.destroy();
    if (keeper.connected) keeper.disconnect();
    keeper.unref();
  }
}

/** A process that was killed seems gone some ms before its port is: tried so often, 50 ms apart. */
const LISTEN_TRIES = 10;

async function listen(host: string, port: number, clock: Clock): Promise<net.Server> {
  const tries = port === 0 ? 0 : LISTEN_TRIES;
  for (let tried = 0; tried <= tries; tried++) {
    const wanted = tried < tries ? port : 0;
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (wanted !== 0 && error.code === 'EADDRINUSE') resolve(false);
        else reject(error);
      });
      server.listen({ host, port: wanted, exclusive: true }, () => resolve(true));
    });
    if (isFree) return server;
    await clock.sleep(50);
  }
  throw new Error('there is no free port');
}
