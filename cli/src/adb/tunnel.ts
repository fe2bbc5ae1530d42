import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Invocation } from '../command/command.js';
import { Failure, STATUS } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import { begunAhead } from '../service/begun-ahead.js';
import type { Service } from '../service/connection.js';
import { bridge, type BridgeEnd, openSocket } from './bridge.js';
import { isRelayOpen } from './open-relay.js';
import { isOfThisUser } from './peer-user.js';

const LOOPBACK = '127.0.0.1';

/** Connections at a time. The relay has three; those that are being opened or closed come on top. */
const MAX_CONNECTIONS = 8;

/** A port of loopback behind which is the adbd of a phone. */
export interface Tunnel {
  /** The name by which adb knows the phone: address and port. */
  serial: string;
  /** Rejects when the tunnel can never come back, with the reason. Never resolves. */
  ended: Promise<never>;
  /** Returns why the service refused or closed a connection last. Undefined: it did neither. */
  refusal: () => Error | undefined;
  /** Returns why the last connection ended that adb did not end in order: another error for each. Undefined: none did. */
  loss: () => Error | undefined;
  /** Calls the function whenever a connection has ended that adb may want to have again. */
  onDropped: (notify: () => void) => void;
  close: () => Promise<void>;
}

type Calls = Pick<Invocation, 'terminal' | 'wait'>;

/**
 * Listens on loopback, on `port` or a free one. Each connection of this user gets a WebSocket of its own to the service. A connection that
 * the service refuses is closed, and the next one may be accepted: so the tunnel comes back by itself after anything that passes.
 */
export async function openTunnel(
  { terminal, wait }: Calls,
  service: Service,
  device: string,
  port: number,
): Promise<Tunnel> {
  const over = new AbortController();
  let drop = (): void => undefined;
  let end: (reason: Error) => void = () => undefined;
  // Whoever does not await the end, such as a test run, sees the connections fail.
  const ended = begunAhead(new Promise<never>((_, reject) => (end = reject)));
  let refusal: Error | undefined;
  let loss: Error | undefined;
  let lastNote = '';
  // The same reason is not repeated for each attempt to connect again.
  const note = (reason: string): void => {
    const text = `cloudphone: ${device}: ${plainLine(reason)}`;
    if (text !== lastNote) terminal.note(text);
    lastNote = text;
  };
  const running = new Set<Promise<void>>();
  const sockets = new Set<Socket>();

  async function accept(adb: Socket): Promise<void> {
    if (!(await isOfThisUser(adb, process.getuid?.()))) {
      terminal.note(`cloudphone: a connection to the tunnel of ${device} came from another user, and was refused.`);
      return;
    }
    try {
      const phone = await openSocket(service, device, over.signal);
      lastNote = '';
      const finished = await bridge(adb, phone, wait);
      const reason = finished.reason === '' ? 'The connection was cut.' : finished.reason;
      const lasting = lastingFault(finished, device);
      // Before anything else: adb, whose connection has ended, ends now too.
      if (lasting !== undefined) refusal = lasting;
      loss = lasting ?? new Failure(`The connection to ${device} was lost: ${plainLine(reason)}`, STATUS.unreachable);
      const isReopened = finished.code === 4403 && (await isRelayOpen(service.phone, device, over.signal));
      if (isReopened && refusal === lasting) refusal = undefined;
      if (lasting !== undefined && !isReopened) end(lasting);
      else if (finished.code !== undefined && !over.signal.aborted) note(reason);
    } catch (error) {
      if (over.signal.aborted) return;
      if (error instanceof CloudPhoneError) refusal = error;
      if (isLasting(error)) end(error);
      else note(error instanceof Error ? error.message : String(error));
    }
    if (!over.signal.aborted) drop();
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true }, (adb) => {
    // Errors of a connection end it; its bridge sees the end.
    adb.on('error', () => undefined);
    if (running.size >= MAX_CONNECTIONS) {
      adb.destroy();
      return;
    }
    sockets.add(adb);
    const work = begunAhead(accept(adb)).finally(() => {
      adb.destroy();
      sockets.delete(adb);
      running.delete(work);
    });
    running.add(work);
  });
  const bound = await listen(server, port);
  return {
    serial: `${LOOPBACK}:${bound}`,
    ended,
    refusal: () => refusal,
    loss: () => loss,
    onDropped: (notify) => void (drop = notify),
    close: async () => {
      over.abort();
      for (const socket of sockets) socket.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(running);
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        'code' in error && error.code === 'EADDRINUSE'
          ? new Failure(`Port ${port} of ${LOOPBACK} is in use. Give another --port, or none for a free one.`)
          : error,
      ),
    );
    server.listen(port, LOOPBACK, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Returns why a tunnel cannot come back, by the code with which the service closed it. Undefined: it can. */
function lastingFault({ code, reason }: BridgeEnd, device: string): Failure | undefined {
  const why = reason === '' ? '' : ` ${plainLine(reason)}`;
  if (code === 1008) return new Failure(`The key may not use ${device} any more.${why}`);
  if (code === 4403) return new Failure(`The relay of ${device} was turned off. Run the command again to turn it on.`);
  if (code === 4404) return new Failure(`${device} is deleted.`, STATUS.notFound);
  if (code !== 4408) return undefined;
  return new Failure(`The relay ended the connection to ${device}, which was not used.${why}`, STATUS.timeUp);
}

/** Whether a refusal of the service will be the same for the next connection. */
function isLasting(error: unknown): error is CloudPhoneError {
  if (!(error instanceof CloudPhoneError)) return false;
  return ['unauthorized', 'forbidden', 'not_found', 'bad_request'].includes(error.kind);
}
