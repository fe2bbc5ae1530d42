import {
  MAX_SYNC_DATA_BYTES,
  MAX_SYNC_PATH_BYTES,
  dentV1,
  dentV2,
  receiveV2,
  sendV2,
  statV1,
  statV2,
  syncFail,
  syncHeader,
  syncOkay,
  type StatV2Fields,
} from '../../phone/adb/sync-messages.js';
import { PhoneFileError } from '../files/file-error.js';
import { statMode, type FileStat } from '../files/file-stat.js';
import type { IncomingFile } from '../files/file-writer.js';
import type { Machine } from '../machine/machine.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';
import { ReplyQueue } from './reply-queue.js';
import { StreamReader } from '../streams/stream-reader.js';

/** Serves `sync:`, whose requests come one after the other until QUIT. A failed transfer is reported and the stream goes on. */
export async function serveSync(stream: AdbStream, machine: Machine): Promise<void> {
  await serveRequests(new StreamReader(stream), new ReplyQueue(stream), machine);
  await stream.finish();
}

async function serveRequests(reader: StreamReader, replies: ReplyQueue, machine: Machine): Promise<void> {
  for (;;) {
    const header = await reader.exactly(syncHeader.sizeBytes);
    if (!header) return;
    const { id, length } = syncHeader.read(header);
    if (id === 'QUIT') return;
    const serve = REQUESTS[id];
    if (!serve || length > MAX_SYNC_PATH_BYTES) {
      await replies.send(syncFail(serve ? 'path too long' : `unknown command ${printable(id)}`));
      return;
    }
    const path = await reader.exactly(length);
    if (!path) return;
    await serve({ replies, machine, reader, path: path.toString('utf8') });
  }
}

interface SyncRequest {
  replies: ReplyQueue;
  machine: Machine;
  reader: StreamReader;
  path: string;
}

// STAT* and LIST* never get a FAIL: clients would wait for ever.
const REQUESTS: Record<string, (request: SyncRequest) => Promise<void>> = {
  STAT: statVersion1,
  LSTA: statVersion1,
  STA2: (request) => statVersion2(request, 'STA2'),
  LST2: (request) => statVersion2(request, 'LST2'),
  LIST: listVersion1,
  LIS2: listVersion2,
  SEND: sendVersion1,
  SND2: sendVersion2,
  RECV: receiveFile,
  RCV2: async (request) => {
    const setup = await request.reader.exactly(receiveV2.sizeBytes);
    if (!setup) return;
    if (receiveV2.read(setup).flags !== 0) await request.replies.send(syncFail('compression is not supported'));
    else await receiveFile(request);
  },
};

async function statVersion1({ replies, machine, path }: SyncRequest): Promise<void> {
  const stat = await machine.shellFiles.lstat(path).catch(ignoreFileError);
  await replies.send(statV1.write({ id: 'STAT', ...(stat ? fieldsV1(stat) : { mode: 0, sizeBytes: 0, mtimeS: 0 }) }));
}

async function statVersion2({ replies, machine, path }: SyncRequest, id: 'STA2' | 'LST2'): Promise<void> {
  const files = machine.shellFiles;
  let fields: Omit<StatV2Fields, 'id'>;
  try {
    fields = fieldsV2(await (id === 'STA2' ? files.stat(path) : files.lstat(path)));
  } catch (error) {
    fields = { ...NO_STAT, error: error instanceof PhoneFileError ? error.errno : 5 };
  }
  await replies.send(statV2.write({ id, ...fields }));
}

function listVersion1(request: SyncRequest): Promise<void> {
  const end = dentV1.write({ id: 'DONE', mode: 0, sizeBytes: 0, mtimeS: 0, nameLength: 0 });
  return list(request, end, (stat, nameLength) => dentV1.write({ id: 'DENT', ...fieldsV1(stat), nameLength }));
}

function listVersion2(request: SyncRequest): Promise<void> {
  const end = dentV2.write({ id: 'DONE', ...NO_STAT, nameLength: 0 });
  return list(request, end, (stat, nameLength) => dentV2.write({ id: 'DNT2', ...fieldsV2(stat), nameLength }));
}

async function list(
  { replies, machine, path }: SyncRequest,
  end: Buffer,
  entry: (stat: FileStat, nameLength: number) => Buffer,
): Promise<void> {
  const parts: Buffer[] = [];
  for (const { name, stat } of await entries(machine, path)) {
    const bytes = Buffer.from(name, 'utf8');
    parts.push(entry(stat, bytes.length), bytes);
  }
  await replies.send(...parts, end);
}

/** Returns the entries of a folder with `.` and `..`, which adbd lists as well. A folder that cannot be read is an empty list. */
async function entries(machine: Machine, path: string): Promise<{ name: string; stat: FileStat }[]> {
  const files = machine.shellFiles;
  const listed = await files.list(path).catch(ignoreFileError);
  const itself = await files.stat(path).catch(ignoreFileError);
  if (!listed || !itself) return [];
  return [{ name: '.', stat: itself }, { name: '..', stat: itself }, ...listed];
}

/** Handles SEND with `PATH,MODE`; the mode is decimal and follows the last comma. */
async function sendVersion1(request: SyncRequest): Promise<void> {
  const comma = request.path.lastIndexOf(',');
  const mode = comma < 0 ? NaN : Number(request.path.slice(comma + 1));
  if (!Number.isInteger(mode)) {
    await readData(request.reader, async () => undefined);
    await request.replies.send(syncFail('missing , in ID_SEND'));
    return;
  }
  await receiveData(request, request.path.slice(0, comma), mode);
}

async function sendVersion2(request: SyncRequest): Promise<void> {
  const setup = await request.reader.exactly(sendV2.sizeBytes);
  if (!setup) return;
  const { mode, flags } = sendV2.read(setup);
  if (flags === 0) return receiveData(request, request.path, mode);
  await readData(request.reader, async () => undefined);
  await request.replies.send(syncFail('compression is not supported'));
}

const LINK_TYPE = 0o120000;
const TYPE_MASK = 0o170000;

/**
 * Receives a file or link. After a failure the rest of the file is read and discarded, and only then is the failure reported. Some clients
 * read responses only between files, and each client must be able to send on the same stream again.
 */
async function receiveData(request: SyncRequest, path: string, mode: number): Promise<void> {
  const { replies, reader, machine } = request;
  const isLink = (mode & TYPE_MASK) === LINK_TYPE;
  let file: IncomingFile | undefined;
  let target = '';
  let received: ReceivedData | undefined;
  try {
    // Group and others get the owner's permissions, as in adbd, because apps read pushed files too.
    const owner = (mode >> 6) & 7;
    if (!isLink) file = await machine.shellFiles.receive(path, (owner << 6) | (owner << 3) | owner);
    received = await readData(reader, async (parts) => {
      if (file) return file.write(parts);
      target += Buffer.concat(parts).toString('utf8');
      if (target.length > MAX_SYNC_PATH_BYTES) throw new PhoneFileError('ENAMETOOLONG', path);
    });
    if (received === undefined) {
      await file?.abort();
      return;
    }
    if (received.failure !== undefined) throw received.failure; // eslint-disable-line @typescript-eslint/only-throw-error -- as it came
    if (file) {
      await file.commit({ mtimeMs: received.mtimeS * 1000 });
    } else {
      await machine.shellFiles.unlink(path).catch(ignoreFileError);
      await machine.shellFiles.symlink(target.replace(/\0+$/, ''), path);
    }
    await replies.send(syncOkay);
  } catch (error) {
    await file?.abort();
    if (!(error instanceof PhoneFileError)) throw error;
    if (received === undefined) await readData(reader, async () => undefined);
    await replies.send(syncFail(`couldn't create file: ${error.reason}`));
  }
}

interface ReceivedData {
  /** The time of the DONE record. */
  mtimeS: number;
  /** The first error of `write`; the rest was read all the same. */
  failure: unknown;
}

/** Reads DATA records up to DONE and passes their bytes on; undefined when the client leaves before. */
async function readData(
  reader: StreamReader,
  write: (parts: readonly Buffer[]) => Promise<void>,
): Promise<ReceivedData | undefined> {
  let waiting: Buffer[] = [];
  let failure: unknown;
  const flush = async (): Promise<void> => {
    const parts = waiting;
    waiting = [];
    if (failure !== undefined || parts.length === 0) return;
    try {
      await write(parts);
    } catch (error) {
      failure = error;
    }
  };
  for (;;) {
    // Complete records that have arrived are written together: one write for each packet.
    if (!reader.holds(syncHeader.sizeBytes)) await flush();
    const header = await reader.exactly(syncHeader.sizeBytes);
    if (!header) return undefined;
    const { id, length } = syncHeader.read(header);
    if (id === 'DONE') {
      await flush();
      return { mtimeS: length, failure };
    }
    if (id !== 'DATA' || length > MAX_SYNC_DATA_BYTES) throw new Error(`sync: ${printable(id)} of ${length} in a SEND`);
    for (let left = length; left > 0;) {
      if (!reader.holds(1)) await flush();
      const part = await reader.some(left);
      if (!part) return undefined;
      waiting.push(part);
      left -= part.length;
    }
  }
}

async function receiveFile({ replies, machine, path }: SyncRequest): Promise<void> {
  let file;
  try {
    file = await machine.shellFiles.openRead(path);
  } catch (error) {
    if (!(error instanceof PhoneFileError)) throw error;
    await replies.send(syncFail(`${error.code === 'EISDIR' ? 'read' : 'open'} failed: ${error.reason}`));
    return;
  }
  try {
    // Each packet waits for its OKAY, so a packet has as many records as fit. DONE is in the packet of the last records.
    const perPacket = Math.max(1, Math.floor(replies.maxPayloadBytes / (MAX_SYNC_DATA_BYTES + syncHeader.sizeBytes)));
    const next = (): Promise<Buffer | undefined> => file.read(perPacket * MAX_SYNC_DATA_BYTES);
    let bytes = await next();
    do {
      const parts: Buffer[] = [];
      for (let at = 0; bytes && at < bytes.length; at += MAX_SYNC_DATA_BYTES) {
        const data = bytes.subarray(at, at + MAX_SYNC_DATA_BYTES);
        parts.push(syncHeader.write({ id: 'DATA', length: data.length }), data);
      }
      bytes = bytes && (await next());
      if (!bytes) parts.push(syncHeader.write({ id: 'DONE', length: 0 }));
      await replies.send(...parts);
    } while (bytes);
  } finally {
    await file.close();
  }
}

function fieldsV1(stat: FileStat): { mode: number; sizeBytes: number; mtimeS: number } {
  // Version 1 has 32 bits for the size; the size of a larger file is cut, as on a real phone.
  return { mode: statMode(stat), sizeBytes: stat.sizeBytes >>> 0, mtimeS: Math.floor(stat.mtimeMs / 1000) };
}

const NO_STAT: Omit<StatV2Fields, 'id'> = {
  error: 0, dev: 0, ino: 0, mode: 0, nlink: 0, uid: 0, gid: 0, sizeBytes: 0, atimeS: 0, mtimeS: 0, ctimeS: 0,
}; // prettier-ignore

function fieldsV2(stat: FileStat): Omit<StatV2Fields, 'id'> {
  const mtimeS = Math.floor(stat.mtimeMs / 1000);
  return {
    error: 0,
    dev: 64_768,
    ino: stat.ino,
    mode: statMode(stat),
    nlink: 1,
    uid: stat.uid,
    gid: stat.gid,
    sizeBytes: stat.sizeBytes,
    atimeS: mtimeS,
    mtimeS,
    ctimeS: Math.floor((stat.ctimeMs ?? stat.mtimeMs) / 1000),
  };
}

function printable(id: string): string {
  return JSON.stringify(id);
}

function ignoreFileError(error: unknown): undefined {
  if (error instanceof PhoneFileError) return undefined;
  throw error;
}
