import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import {
  Command,
  encodePacket,
  MAX_PAYLOAD_BYTES,
  type Packet,
  VERSION_SKIP_CHECKSUM,
} from '../../phone/adb/packet.js';
import { IDENTITY_COMMAND } from '../../phone/link/identity.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { encodeShellFrame, ShellFrame } from '../../phone/adb/shell-frames.js';

/** A stream that a test responds on. */
export interface FakeStream {
  service: string;
  /** One packet; resolves when it was acknowledged, or when the connection has ended. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
  /** Cuts the TCP connection. */
  die(): void;
  /** Puts bytes on the TCP connection as they are. */
  raw(bytes: Uint8Array): void;
}

export type AnswerStream = (stream: FakeStream) => Promise<void> | void;

export interface FakeAdbd {
  port: number;
  /** Services that were opened, in order. */
  opened: string[];
  /** TCP connections so far. */
  connections: number;
  /** Streams that the host closed. */
  closed: string[];
  response: AnswerStream;
  /** Whether the fake acknowledges the host's writes to a service, and the host's close of it. Default: false for each service. */
  reads: (service: string) => boolean;
  /** Features of ADB that it has. */
  features: string;
  /** Called with what the host writes to a service. */
  onWrite: (stream: FakeStream, bytes: Buffer) => void;
  /** Resolves when no host is connected. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

/** The identity of such a phone. */
export const FAKE_IDENTITY = 'FAKE/boot-1';

/**
 * Starts an adbd whose faults a test chooses: it may hang, lie or die. `greet` false: it never responds to the handshake. `identifies`
 * false: the test's own `response` also gets the command that reads the phone's identity.
 */
export async function startFakeAdbd(
  response: AnswerStream,
  { greet = true, identifies = true } = {},
): Promise<FakeAdbd> {
  const sockets = new Set<Socket>();
  const adbd: FakeAdbd = {
    port: 0,
    opened: [],
    connections: 0,
    closed: [],
    response,
    reads: () => false,
    features: 'shell_v2,cmd,stat_v2',
    onWrite: () => undefined,
    disconnected: async () => {
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  const server: Server = createServer((socket) => {
    adbd.connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setMaxListeners(0);
    if (greet) serve(socket, adbd, identifies);
    else socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  adbd.port = (server.address() as AddressInfo).port;
  return adbd;
}

function serve(socket: Socket, adbd: FakeAdbd, identifies: boolean): void {
  const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
  const acknowledge = new Map<number, () => void>();
  const services = new Map<number, string>();
  const streams = new Map<number, FakeStream>();
  let nextId = 100;
  const send = (command: number, arg0: number, arg1: number, payload: Buffer = Buffer.alloc(0)): void => {
    if (!socket.destroyed) socket.write(encodePacket({ command, arg0, arg1, payload }, { checksum: false }));
  };
  const open = ({ arg0: remote, payload }: Packet): void => {
    const local = nextId++;
    const service = payload.toString('utf8').replace(/\0$/, '');
    services.set(local, service);
    send(Command.OKAY, local, remote);
    const stream: FakeStream = {
      service,
      write: (bytes) => {
        send(Command.WRTE, local, remote, Buffer.from(bytes));
        return new Promise((resolve) => {
          acknowledge.set(local, resolve);
          socket.once('close', resolve);
        });
      },
      close: () => send(Command.CLSE, local, remote),
      die: () => void socket.destroy(),
      raw: (bytes) => void socket.write(bytes),
    };
    streams.set(local, stream);
    if (identifies && service.endsWith(IDENTITY_COMMAND)) {
      void say(stream, FAKE_IDENTITY.replace('/', '\n'));
      return;
    }
    adbd.opened.push(service);
    void Promise.resolve(adbd.response(stream));
  };
  socket.on('data', (chunk: Buffer) => {
    for (const packet of parser.push(chunk)) {
      if (packet.command === Command.CNXN) {
        const banner = Buffer.from(`device::ro.product.name=fake;features=${adbd.features}`);
        send(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, banner);
      } else if (packet.command === Command.OPEN) open(packet);
      else if (packet.command === Command.OKAY) acknowledge.get(packet.arg1)?.();
      else if (packet.command === Command.CLSE) adbd.closed.push(services.get(packet.arg1) ?? '');
      const written = packet.command === Command.WRTE ? streams.get(packet.arg1) : undefined;
      if (written !== undefined) adbd.onWrite(written, packet.payload);
      const isRead = packet.command === Command.WRTE || packet.command === Command.CLSE;
      if (!isRead || !adbd.reads(services.get(packet.arg1) ?? '')) continue;
      send(packet.command === Command.WRTE ? Command.OKAY : Command.CLSE, packet.arg1, packet.arg0);
    }
  });
}

/** Sends the whole output and closes the stream. A service of `shell,v2` gets frames and the exit status, others the bytes alone. */
export async function say(stream: FakeStream, output: string | Uint8Array, exitCode = 0): Promise<void> {
  const bytes = typeof output === 'string' ? Buffer.from(output) : output;
  const parts = stream.service.startsWith('shell,v2')
    ? [...encodeShellFrame(ShellFrame.STDOUT, bytes), ...encodeShellFrame(ShellFrame.EXIT, Buffer.from([exitCode]))]
    : [Buffer.from(bytes)];
  const whole = Buffer.concat(parts);
  for (let at = 0; at < whole.length; at += MAX_PAYLOAD_BYTES)
    await stream.write(whole.subarray(at, at + MAX_PAYLOAD_BYTES));
  stream.close();
}
