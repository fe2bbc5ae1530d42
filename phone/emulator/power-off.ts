import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { type ConnectSocket, PhoneLink } from '../link/phone-link.js';
import type { EmulatorTimes } from './times.js';
import { presentRun, type Run, signalSupervisor } from './run-record.js';

/** The supervisor has three ways to end its emulator. It gets the time of one more. */
const SUPERVISOR_STEPS = 4;
const LINK_MS = 5_000;
const EVERY_MS = 50;

/**
 * Has Android shut down, which ends its emulator. The supervisor ends an emulator that is not off in time. It shuts down the virtual
 * machine by the console, without Android's knowledge, then sends SIGTERM and SIGKILL. Returns when the emulator has ended, or the
 * supervisor has had its time.
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
  signalSupervisor(run, 'SIGTERM');
  if (!(await endsWithin(times.stepMs * SUPERVISOR_STEPS)))
    log.warn({ folder }, 'the supervisor of an emulator did not end it in time; both are killed');
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
