import { createServer, type AddressInfo, type Socket } from 'node:net';
import { formatBanner } from '../../phone/adb/banner.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { Command, encodePacket, MAX_PAYLOAD_BYTES, VERSION_SKIP_CHECKSUM } from '../../phone/adb/packet.js';
import { serviceName } from '../../phone/adb/service-name.js';
import { encodeShellFrame, ShellFrame } from '../../phone/adb/shell-frames.js';
import { syncOkay } from '../../phone/adb/sync-messages.js';
import { IDENTITY_COMMAND } from '../../phone/link/identity.js';
import { SyncRequestParser } from '../../relay-service/transfer/sync-requests.js';

const WINDOW_BYTES = 4 * 1024 * 1024;

/** Its response to the command that reads a phone's identity, see phone/link/identity.ts. */
export const WINDOWED_IDENTITY = 'WINDOWED/boot-1';

/** A modern adbd that uses windows (delayed_ack): it accepts pushes, one write behind, and ends each shell with status 0. */
export interface WindowedPhone {
  port: number;
  /** Sizes of the files that were pushed to their end. */
  files: number[];
  /** A write has come before the one before it was acknowledged. */
  wasAhead: boolean;
  close(): Promise<void>;
}

export async function startWindowedPhone(): Promise<WindowedPhone> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, phone);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const phone: WindowedPhone = {
    port: (server.address() as AddressInfo).port,
    files: [],
    wasAhead: false,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return phone;
}

function serve(socket: Socket, phone: WindowedPhone): void {
  const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
  const streams = new Map<number, (bytes: Buffer) => void>();
  let nextId = 1;
  /** By stream: acknowledges its latest write. */
  const late = new Map<number, () => void>();
  const send = (command: number, arg0: number, arg1: number, payload: Buffer = Buffer.alloc(0)): void =>
    void socket.write(encodePacket({ command, arg0, arg1, payload }, { checksum: false }));
  const acknowledge = (id: number, peerId: number, bytes: number): void => {
    const payload = Buffer.alloc(4);
    payload.writeInt32LE(bytes);
    send(Command.OKAY, id, peerId, payload);
  };
  socket.on('data', (chunk) => {
    for (const { command, arg0, arg1, payload } of parser.push(chunk)) {
      if (command === Command.CNXN) {
        const features = ['shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'delayed_ack'];
        const banner = formatBanner({ state: 'device', properties: { 'ro.product.model': 'windowed' }, features });
        send(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, Buffer.from(banner));
      } else if (command === Command.OPEN) {
        const id = nextId++;
        const write = (bytes: Buffer): void => send(Command.WRTE, id, arg0, bytes);
        if (arg1 === 0) {
          send(Command.CLSE, 0, arg0); // a client that has agreed to windows must grant one
          continue;
        }
        acknowledge(id, arg0, WINDOW_BYTES);
        if (serviceName(payload) === 'sync:') {
          streams.set(id, takeFiles(phone, write));
        } else {
          // The identity is read through a shell without frames.
          if (serviceName(payload) === `shell:${IDENTITY_COMMAND}`) write(Buffer.from('WINDOWED\nboot-1\n'));
          else write(Buffer.concat(encodeShellFrame(ShellFrame.EXIT, Buffer.from([0]))));
          send(Command.CLSE, id, arg0);
        }
      } else if (command === Command.WRTE) {
        const take = streams.get(arg1);
        if (!take) continue;
        take(payload);
        // Once the next one has come: without windows it never would.
        const acknowledgeLast = late.get(arg1);
        if (acknowledgeLast !== undefined) phone.wasAhead = true;
        acknowledgeLast?.();
        late.set(arg1, () => acknowledge(arg1, arg0, payload.length));
      } else if (command === Command.CLSE) {
        late.delete(arg1);
        if (streams.delete(arg1)) send(Command.CLSE, arg1, arg0);
      }
    }
  });
}

function takeFiles(phone: WindowedPhone, write: (bytes: Buffer) => void): (bytes: Buffer) => void {
  const parser = new SyncRequestParser();
  let size = 0;
  return (bytes) =>
    parser.push(bytes, (record, length) => {
      if (record === 'send') size = 0;
      if (record === 'data') size += length;
      if (record !== 'done') return;
      phone.files.push(size);
      write(syncOkay);
    });
}
