import { begunAhead } from '../../kit/async/begun-ahead.js';
import { spawn } from 'node:child_process';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../kit/async/clock.js';
import { unlessAborted } from '../../kit/async/within.js';
import { PhoneFailure } from '../driver.js';
import type { SupervisorPlan, SupervisorReport } from './supervisor/supervisor-messages.js';
import { inNamespace } from './namespace.js';

const SUPERVISOR = fileURLToPath(new URL('supervisor/main.js', import.meta.url));

/** A supervisor only passes bytes on. Heaps this small keep it near 50 MB, with pauses of milliseconds for the collection of garbage. */
const SUPERVISOR_FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1'];

export interface Launch extends Pick<SupervisorPlan, 'avd' | 'command' | 'times'> {
  /** The phone's folder, and the path at which the phone's processes see that folder. */
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
 * Starts an emulator with its supervisor, in a session of its own, and returns once the emulator has its ports. Throws PhoneFailure where
 * the emulator ends before that. The supervisor takes over the server for ADB, so ADB needs this process no longer.
 */
export async function launch(options: Launch): Promise<void> {
  const { avd, command, times, folder, environment, signal } = options;
  signal?.throwIfAborted();
  const server = await listen(options.host, options.port, options.clock);
  const { port } = server.address() as net.AddressInfo;
  const [program, words] = inNamespace(options, [process.execPath, ...SUPERVISOR_FLAGS, SUPERVISOR]);
  const supervisor = spawn(program, words, {
    cwd: folder,
    detached: true,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  supervisor.stderr?.on('data', (part: Buffer) => (complaint = `${complaint}${part.toString()}`.slice(0, 2_000)));
  try {
    const reported = begunAhead(
      new Promise<SupervisorReport>((resolve, reject) => {
        supervisor.once('message', (message) => resolve(message as SupervisorReport));
        supervisor.once('error', reject);
        supervisor.once('exit', (code, by) => reject(new Error(`the supervisor of an emulator ended (${code ?? by}): ${complaint.trim()}`))); // prettier-ignore
        const plan: SupervisorPlan = { avd, command, times, host: options.host, port };
        supervisor.send(plan, server, (error) => {
          server.close();
          if (error) reject(error);
        });
      }),
    );
    const report = await unlessAborted(signal, reported);
    if ('failed' in report) throw new PhoneFailure(report.failed);
  } finally {
    server.close();
    supervisor.removeAllListeners('exit').on('error', () => undefined);
    supervisor.stderr?.destroy();
    if (supervisor.connected) supervisor.disconnect();
    supervisor.unref();
  }
}

/**
 * The number of times that a port is tried, 50 ms apart. The port of a killed process becomes free some ms after the process seems gone.
 */
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
