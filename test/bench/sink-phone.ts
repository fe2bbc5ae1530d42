import { createServer, type AddressInfo, type Socket } from 'node:net';
import { formatBanner } from '../../phone/adb/banner.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import {
  Command,
  encodeHeader,
  MAX_PAYLOAD_BYTES,
  type Packet,
  VERSION_SKIP_CHECKSUM,
} from '../../phone/adb/packet.js';
import { serviceName } from '../../phone/adb/service-name.js';
import { encodeShellFrame, ShellFrame } from '../../phone/adb/shell-frames.js';
import { statV1, statV2, syncHeader, syncOkay } from '../../phone/adb/sync-messages.js';
import { IDENTITY_COMMAND } from '../../phone/link/identity.js';
import { type SyncRecord, SyncRequestParser } from '../../relay-service/transfer/sync-requests.js';
import { systemClock } from '../../kit/async/clock.js';

const RECORD_BYTES = 64 * 1024;
/** Its response to the command that reads a phone's identity, see phone/link/identity.ts. */
export const SINK_IDENTITY = 'SINK/boot-1';
/** The reply to a STAT. */
const NO_FILE = statV1.write({ id: 'STAT', mode: 0, sizeBytes: 0, mtimeS: 0 });
/** Delay of `/slow/…` for each write that it takes, ms. */
const SLOW_MS = 2;

/**
 * adbd without a phone: forgets pushed files, makes up pulled ones (`/size/N` has N zeros), and responds `echo` to any shell. It
 * costs as little as a phone's side can, so that the relay in front of it is measured. Returns its port.
 */
export async function startSinkPhone(): Promise<number> {
  const server = createServer({ noDelay: true, highWaterMark: 256 * 1024 }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Stream {
  peerId: number;
  /** Takes a write, and returns when it has. */
  take: (bytes: Buffer) => Promise<void> | void;
  acknowledged: () => void;
}

function serve(socket: Socket): void {
  const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
  const streams = new Map<number, Stream>();
  let nextId = 1;
  const send = (command: number, arg0: number, arg1: number, parts: Buffer[] = []): void => {
    socket.cork();
    socket.write(encodeHeader({ command, arg0, arg1 }, parts, false));
    for (const part of parts) socket.write(part);
    socket.uncork();
  };
  const open = ({ arg0: peerId, payload }: Packet): void => {
    const id = nextId++;
    send(Command.OKAY, id, peerId);
    const write = (parts: Buffer[]): Promise<void> =>
      new Promise((resolve) => {
        const stream = streams.get(id);
        if (stream) stream.acknowledged = resolve;
        send(Command.WRTE, id, peerId, parts);
      });
    const close = (): void => {
      streams.delete(id);
      send(Command.CLSE, id, peerId);
    };
    const stream: Stream = { peerId, take: () => undefined, acknowledged: () => undefined };
    streams.set(id, stream);
    if (serviceName(payload) === 'sync:') {
      stream.take = serveSync(write, close);
      return;
    }
    if (serviceName(payload) === `shell:${IDENTITY_COMMAND}`) {
      void write([Buffer.from(SINK_IDENTITY.replace('/', '\n'))]).then(close);
      return;
    }
    const response = [
      ...encodeShellFrame(ShellFrame.STDOUT, Buffer.from('echo\n')),
      ...encodeShellFrame(ShellFrame.EXIT, Buffer.from([0])),
    ];
    void write(response).then(close);
  };
  const handle = (packet: Packet): void => {
    const { command, arg0, arg1, payload } = packet;
    if (command === Command.CNXN) {
      const features = ['shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'fixed_push_mkdir', 'abb_exec'];
      const banner = formatBanner({ state: 'device', properties: { 'ro.product.model': 'sink' }, features });
      send(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, [Buffer.from(banner)]);
    } else if (command === Command.OPEN) {
      open(packet);
    } else if (command === Command.OKAY) {
      streams.get(arg1)?.acknowledged();
    } else if (command === Command.CLSE) {
      streams.delete(arg1);
    } else if (command === Command.WRTE) {
      const taken = streams.get(arg1)?.take(payload);
      if (taken instanceof Promise) void taken.then(() => send(Command.OKAY, arg1, arg0));
      else send(Command.OKAY, arg1, arg0);
    }
  };
  socket.on('data', (chunk: Buffer) => {
    for (const packet of parser.push(chunk)) handle(packet);
  });
  socket.on('error', () => undefined);
}

function serveSync(write: (parts: Buffer[]) => Promise<void>, close: () => void): Stream['take'] {
  const parser = new SyncRequestParser();
  let latest = '';
  let responses: Promise<void> = Promise.resolve();
  const response = (parts: Buffer[]): void => void (responses = responses.then(() => write(parts)));
  /** Replies to the STATs of one write, which go back in one. */
  let stats = 0;
  const sizeOf = (path: string): number => Number(/\/size\/(\d+)/.exec(path)?.[1] ?? 0);
  const onRecord = (record: SyncRecord): void => {
    const sizeBytes = sizeOf(latest);
    const mode = sizeBytes > 0 ? 0o100644 : 0;
    const found = { error: sizeBytes > 0 ? 0 : 2, dev: 1, ino: 1, mode, nlink: 1, uid: 0, gid: 0, sizeBytes };
    const times = { atimeS: 0, mtimeS: 0, ctimeS: 0 };
    if (record === 'stat') stats++;
    else if (record === 'stat2') response([statV2.write({ id: 'STA2', ...found, ...times })]);
    else if (record === 'lstat2') response([statV2.write({ id: 'LST2', ...found, ...times })]);
    else if (record === 'list2') response([syncHeader.write({ id: 'DONE', length: 0 }), Buffer.alloc(68)]);
    else if (record === 'done') response([syncOkay]);
    else if (record === 'receive') responses = responses.then(() => zeros(write, sizeBytes));
    else if (record === 'quit') close();
  };
  return (bytes) => {
    // Requests of this bench come whole, with their path after them.
    const text = bytes.subarray(0, 200).toString('latin1');
    if (text.includes('/size/') || text.includes('/slow/') || text.includes('/sdcard')) latest = text;
    parser.push(bytes, onRecord);
    if (stats > 0) response([Buffer.concat(Array<Buffer>(stats).fill(NO_FILE))]);
    stats = 0;
    return latest.includes('/slow/') ? systemClock.sleep(SLOW_MS) : undefined;
  };
}

async function zeros(write: (parts: Buffer[]) => Promise<void>, bytes: number): Promise<void> {
  const body = Buffer.alloc(RECORD_BYTES);
  const perWrite = Math.floor(MAX_PAYLOAD_BYTES / (RECORD_BYTES + syncHeader.sizeBytes));
  let left = bytes;
  while (left > 0) {
    const parts: Buffer[] = [];
    for (let count = 0; count < perWrite && left > 0; count++) {
      const length = Math.min(RECORD_BYTES, left);
      parts.push(syncHeader.write({ id: 'DATA', length }), body.subarray(0, length));
      left -= length;
    }
    await write(parts);
  }
  await write([syncHeader.write({ id: 'DONE', length: 0 })]);
}
