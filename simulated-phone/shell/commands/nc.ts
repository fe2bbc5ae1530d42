import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { Cancellation } from '../../../kit/async/within.js';
import { type Datagram, type DatagramSocket, PortTaken } from '../../network/datagrams.js';
import { type Command, type CommandCall, CommandFailure } from '../command.js';
import { type Options, parseOptions } from '../options.js';

const HELP = 'usage: nc -u [-l] [-p PORT] [-q SECONDS] [-W SECONDS] [IPADDR PORTNUM]\n';

/** Most bytes of a datagram of IPv4. */
const MAX_DATAGRAM_BYTES = 65_507;
const MAX_PORT = 65_535;

interface Peer {
  host: string;
  port: number;
}

/**
 * The command `nc` of toybox, for UDP alone. With `-l` it waits for the first datagram, and then talks to its sender. Standard input is sent
 * in the pieces that arrive. It does not end by itself, as UDP has no end: `-q` ends it some seconds after the end of standard input, and
 * `-W` after some seconds without a datagram.
 */
export const nc: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['u', 'l', '4', 'help'], values: ['p', 'q', 'w', 'W'] });
  if (options.has('help')) {
    await call.stdout.write(HELP);
    return 0;
  }
  const receiver = receiverOf(options);
  const [quitMs, idleMs] = [msOf(options, 'q'), msOf(options, 'W')];
  const socket = await open(call, portOf(options.value('p') ?? '0'));
  const life = new Cancellation([call.signal]);
  life.signal.addEventListener('abort', () => socket.close(), { once: true });
  // The caller may have gone while the socket was opened.
  if (life.signal.aborted) socket.close();
  const { clock } = call.machine;
  const endIn = (ms: number) => clock.after(ms, () => life.abort());
  let idle = idleMs === undefined ? undefined : endIn(idleMs);
  const take = async ({ bytes }: Datagram): Promise<void> => {
    idle?.cancel();
    if (idleMs !== undefined) idle = endIn(idleMs);
    await call.stdout.write(bytes);
  };
  try {
    const first = receiver === undefined ? await socket.receive() : [];
    const peer = receiver ?? first?.[0];
    if (first === undefined || peer === undefined) return 0;
    const sending = begunAhead(
      sendAll(call, socket, peer).then(() => {
        if (quitMs !== undefined) endIn(quitMs);
        return new Promise<void>((resolve) => {
          if (life.signal.aborted) resolve();
          life.signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }),
    );
    await Promise.race([receiveAll(socket, first, peer, take), sending]);
    return 0;
  } finally {
    idle?.cancel();
    life.abort();
  }
};

async function receiveAll(
  socket: DatagramSocket,
  first: readonly Datagram[],
  peer: Peer,
  take: (datagram: Datagram) => Promise<void>,
): Promise<void> {
  for (let found: readonly Datagram[] | undefined = first; found !== undefined; found = await socket.receive())
    // The peer may have several addresses, or a name, but one port.
    for (const datagram of found) if (datagram.port === peer.port) await take(datagram);
}

async function sendAll({ stdin }: CommandCall, socket: DatagramSocket, { host, port }: Peer): Promise<void> {
  for (let bytes = await stdin.read(); bytes !== undefined; bytes = await stdin.read())
    for (let at = 0; at < bytes.length; at += MAX_DATAGRAM_BYTES)
      await socket.send(bytes.subarray(at, at + MAX_DATAGRAM_BYTES), host, port).catch((error: unknown) => {
        const { code = 'unreachable' } = error as NodeJS.ErrnoException;
        throw new CommandFailure(`${host}:${port}: ${code}`);
      });
}

/** Returns where datagrams go; undefined where the first one that comes decides. */
function receiverOf(options: Options): Peer | undefined {
  if (!options.has('u')) throw new CommandFailure('this phone has datagrams alone: give -u');
  if (options.has('l')) return undefined;
  const [host, port] = options.rest;
  if (host === undefined || port === undefined) throw new CommandFailure('Need address and port');
  return { host, port: portOf(port) };
}

function open({ machine }: CommandCall, port: number): Promise<DatagramSocket> {
  return machine.datagrams.open(port).catch((error: unknown) => {
    throw error instanceof PortTaken ? new CommandFailure('bind: Address already in use') : error;
  });
}

function portOf(word: string): number {
  if (!/^\d{1,5}$/.test(word) || Number(word) > MAX_PORT) throw new CommandFailure(`bad port '${word}'`);
  return Number(word);
}

function msOf(options: Options, name: string): number | undefined {
  const word = options.value(name);
  if (word === undefined) return undefined;
  if (!/^\d{1,6}$/.test(word)) throw new CommandFailure(`not a number '${word}'`);
  return Number(word) * 1_000;
}
