import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type ConnectSocket, PhoneLink } from '../link/phone-link.js';
import type { EmulatorTimes } from './times.js';
import { presentRun, type Run, signalKeeper } from './run-record.js';

/** One more than the ways in which the keeper ends it. */
const KEEPER_STEPS = 4;
const LINK_MS = 5_000;
const EVERY_MS = 50;

/**
 * Has Android shut down, which ends its emulator. One that does not do so in time is ended by its keeper: its virtual machine is shut down
 * by the console, without Android's knowledge, then SIGTERM, SIGKILL. Returns when all of that was tried.
 */
export async function powerOff(options: {
  folder: string;
  run: Run;
  clock: Clock;
  connectSocket: ConnectSocket;
  log: Log;
  signal: AbortSignal | undefined;
  times: EmulatorTimes;
}): Promise<void> {
  const { folder, run, clock, log, signal, times } = options;
  const endsWithin = async (ms: number): Promise<boolean> => {
    const deadlineMs = clock.monotonicMs() + ms;
    while (presentRun(folder)?.owner.pid === run.owner.pid) {
      if (clock.monotonicMs() > deadlineMs) return false;
      await clock.sleep(EVERY_MS, signal);
    }
    return true;
  };
  try {
    await shutDownAndroid(options);
    if (await endsWithin(times.shutdownMs)) return;
    log.warn({ folder }, 'an Android did not shut down in time; its emulator is ended');
  } catch (error) {
    signal?.throwIfAborted();
    log.warn({ folder, err: error }, 'an Android could not be shut down; its emulator is ended');
  }
  signalKeeper(run, 'SIGTERM');
  if (!(await endsWithin(times.stepMs * KEEPER_STEPS)))
    log.warn({ folder }, 'the keeper of an emulator did not end it in time; both are killed');
}

async function shutDownAndroid(options: Parameters<typeof powerOff>[0]): Promise<void> {
  const { run, clock, connectSocket, signal } = options;
  const link = await PhoneLink.open({ host: run.host, port: run.port, clock, connectSocket, timeoutMs: LINK_MS });
  try {
    const limits = { timeoutMs: LINK_MS, maxBytes: 4_096, doing: 'shut down', signal };
    // The connection may break before the command has ended.
    await link.shell('reboot -p', limits).catch((error: unknown) => {
      if (link.usable) throw error;
    });
  } finally {
    link.close();
  }
}
