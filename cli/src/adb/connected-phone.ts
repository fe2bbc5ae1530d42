import type { Invocation } from '../command/command.js';
import { Failure, STATUS } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import type { Service } from '../service/connection.js';
import type { AdbProgram } from './adb-program.js';
import { isRelayOpen, openRelay } from './open-relay.js';
import { openTunnel, type Tunnel } from './tunnel.js';

/** Waits between two attempts to connect again, ms: each is twice the one before, up to the last. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/** A phone that the adb of this machine has, until it is closed. */
export interface ConnectedPhone {
  serial: string;
  /** Rejects when the tunnel can never come back. */
  ended: Promise<never>;
  /** Returns why the last connection ended that was not closed in order: another error for each. Undefined: none did. */
  loss: () => Error | undefined;
  close: () => Promise<void>;
}

type Calls = Pick<Invocation, 'terminal' | 'wait' | 'signal'>;

/** Turns the relay on where it is off, opens the tunnel, and makes adb connect. `adb` absent: the caller connects. */
export async function connectPhone(
  calls: Calls,
  service: Service,
  device: string,
  adb: AdbProgram | undefined,
  port = 0,
): Promise<ConnectedPhone> {
  const { terminal, wait, signal } = calls;
  await openRelay(service.phone, device, signal);
  if (adb === undefined) {
    const tunnel = await openTunnel({ terminal, wait }, service, device, port);
    const { serial, ended, loss } = tunnel;
    return { serial, ended, loss, close: () => tunnel.close() };
  }
  try {
    return await connectAdb(calls, service, device, adb, port);
  } catch (error) {
    // Another caller may have turned the relay off since the look, such as a `run` that ended.
    if (!(await wasTurnedOff(calls, service, device))) throw error;
    await openRelay(service.phone, device, signal);
    return connectAdb(calls, service, device, adb, port);
  }
}

async function wasTurnedOff({ signal }: Calls, { phone }: Service, device: string): Promise<boolean> {
  try {
    return !signal.aborted && !(await isRelayOpen(phone, device, signal));
  } catch {
    // What failed first says more.
    return false;
  }
}

/** Opens the tunnel to a relay that is on, and makes adb connect. */
async function connectAdb(
  { terminal, wait }: Calls,
  service: Service,
  device: string,
  adb: AdbProgram,
  port: number,
): Promise<ConnectedPhone> {
  const tunnel = await openTunnel({ terminal, wait }, service, device, port);
  const { serial, ended } = tunnel;
  const fault = await Promise.race([adb.connect(serial), ended]).catch(async (error: unknown) => {
    await adb.disconnect(serial);
    await tunnel.close();
    throw error;
  });
  if (fault !== undefined) {
    await adb.disconnect(serial);
    await tunnel.close();
    // The service's own reason says more than adb's.
    const refusal = tunnel.refusal();
    if (refusal !== undefined) throw refusal;
    throw new Failure(`adb cannot connect to ${device}: ${plainLine(fault)}`, STATUS.unreachable);
  }
  const over = new AbortController();
  const returning = comeBack({ wait }, adb, tunnel, over.signal).catch(() => undefined);
  return {
    serial,
    ended,
    loss: tunnel.loss,
    close: async () => {
      over.abort();
      await returning;
      // While the tunnel is open, so that adb does not try to connect again.
      await adb.disconnect(serial);
      await tunnel.close();
    },
  };
}

/**
 * Makes adb connect again after a dropped connection, for as long as the tunnel is open. A server of adb that was ended is not started
 * for that: once another one runs, it gets the phone.
 */
async function comeBack(
  { wait }: Pick<Invocation, 'wait'>,
  adb: AdbProgram,
  tunnel: Tunnel,
  signal: AbortSignal,
): Promise<void> {
  const connection = { isDropped: false };
  let wake = (): void => undefined;
  tunnel.onDropped(() => {
    connection.isDropped = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    if (!connection.isDropped) await new Promise<void>((resolve) => (wake = resolve));
    connection.isDropped = false;
    let retryMs = RETRY_MS;
    do {
      await wait(retryMs, signal);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    } while (!(await adb.isServing()) || (await adb.connect(tunnel.serial)) !== undefined);
  }
}
