import { posix } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { type Call, ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { pageOfAll } from '../../kit/call/page.js';
import { callOf } from '../../kit/rpc/context.js';
import { scopeOf } from '../../kit/rpc/mesh.js';
import { whileAllowed } from '../../kit/rpc/while-allowed.js';
import type { FileKind, FileStat } from '../../phone/sync/file-stat.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { type FileEntry, FileEntrySchema, FileType } from '../../proto/gen/cloudphone/screen/v1/file_pb.js';
import type { FileService, WriteFileRequest } from '../../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { deleteFile } from '../files/delete-file.js';
import { listFiles } from '../files/list-files.js';
import { readFile } from '../files/read-file.js';
import type { Transfers } from '../files/transfers.js';
import { writeFile } from '../files/write-file.js';
import type { LocatedPhone } from '../link/reached-phone.js';
import { assertNotLeased, assertSamePhone, type Locate, type Located } from '../phones/locate.js';
import { type FileUse, recordFile } from '../timeline/record-file.js';
import { endOf, type TimelineRecorder } from '../timeline/timeline-recorder.js';

const DEFAULT_PATH = '/sdcard';

export interface FileRoutesParts {
  locate: Locate;
  clock: Clock;
  recorder: TimelineRecorder;
  transfers: Transfers;
}

/** Unpacks requests about files of phones, calls the operation, packs its result. */
export function fileRoutes({ locate, clock, recorder, transfers }: FileRoutesParts): ServiceImpl<typeof FileService> {
  const begin = async (name: string, context: HandlerContext): Promise<Located & { call: Call }> => {
    const call = callOf(context);
    return { call, ...(await locate(call, name, scopeOf(context.method))) };
  };
  /**
   * Yields the messages of a transfer while the caller may use the phone, which is checked every second. Each check counts as a use, so the
   * phone is not idle.
   */
  const whileUsed = <T>(
    messages: AsyncIterable<T>,
    name: string,
    { phoneSession }: Located,
    context: HandlerContext,
  ): AsyncIterable<T> =>
    whileAllowed(messages, () => mayGoOn(name, phoneSession.phone, context), clock, callOf(context).signal);
  const mayGoOn = async (name: string, { phoneId }: LocatedPhone, context: HandlerContext): Promise<void> => {
    const scope = scopeOf(context.method);
    if (scope >= Scope.CONTROL) await assertNotLeased(locate, callOf(context), name);
    await assertSamePhone(locate, callOf(context), { name, scope, phoneId });
  };
  return {
    listFiles: async (request, context) => {
      const { call, phoneSession } = await begin(request.name, context);
      const { path, entries, truncated, unnamed } = await listFiles(call, phoneSession, request.path ?? DEFAULT_PATH);
      const { items, ...page } = pageOfAll(entries, request, sortKey);
      return { path, entries: items.map(({ name, stat }) => toEntry(name, stat)), truncated, unnamed, ...page };
    },
    async *readFile(request, context) {
      const located = await begin(request.name, context);
      const { signal } = located.call;
      const endTransfer = transfers.begin(located.phoneSession.phone, located.accountId);
      const use: FileUse = { operation: 'read', path: request.path };
      const [atMs, startMs] = [clock.now(), clock.monotonicMs()];
      let isOver = false;
      let outcome: { result: unknown } | { error: unknown } | undefined;
      const end = (): void => {
        signal.removeEventListener('abort', end);
        endTransfer();
        if (!located.timeline || isOver) return;
        isOver = true;
        const facts = { kind: TimelineKind.FILE, atMs, durationMs: clock.monotonicMs() - startMs };
        recorder.add(located, { ...facts, ...endOf(outcome ?? { error: new ClientGone() }) }, () => recordFile(use));
      };
      // A generator that waits for its reader is not always ended when the reader leaves, so the abort ends the transfer.
      signal.addEventListener('abort', end, { once: true });
      try {
        for await (const part of whileUsed(
          readFile(located.call, located.phoneSession, request.path),
          request.name,
          located,
          context,
        )) {
          if (part.data !== undefined) yield { file: { data: part.data } };
          else {
            use.size = part.sizeBytes;
            yield { file: { name: posix.basename(posix.normalize(request.path)), size: part.sizeBytes } };
          }
        }
        outcome = { result: undefined };
      } catch (error) {
        outcome = { error };
        throw error;
      } finally {
        end();
      }
    },
    writeFile: async (messages, context) => {
      const iterator = messages[Symbol.asyncIterator]();
      const first = await iterator.next();
      if (first.done === true)
        throw new ApiError('bad_request', 'The upload is empty: its first message names the device and the path.');
      const { name, path: given, contentType } = first.value;
      const located = await begin(name, context);
      assertNoForm(contentType);
      const end = transfers.begin(located.phoneSession.phone, located.accountId);
      const use: FileUse = { operation: 'write', path: given };
      try {
        const rest = whileUsed({ [Symbol.asyncIterator]: () => iterator }, name, located, context);
        const write = () => writeFile(located.call, located.phoneSession, given, bytesOf(first.value, rest, use));
        const written = await recorder.run(located, TimelineKind.FILE, write, () => recordFile(use));
        return { path: written.path, file: toEntry(written.name, written.stat) };
      } finally {
        end();
      }
    },
    deleteFile: async (request, context) => {
      const located = await begin(request.name, context);
      const remove = () => deleteFile(located.call, located.phoneSession, request.path);
      const use: FileUse = { operation: 'delete', path: request.path };
      await recorder.run(located, TimelineKind.FILE, remove, () => recordFile(use));
      return {};
    },
  };
}

function assertNoForm(contentType: string | undefined): void {
  if (contentType === undefined || !/^\s*multipart\//i.test(contentType)) return;
  throw new ApiError(
    'unsupported_media_type',
    'The body is the content of the file, not a form. Send the file itself, as curl -T does, as application/octet-stream.',
  );
}

async function* bytesOf(
  first: WriteFileRequest,
  rest: AsyncIterable<WriteFileRequest>,
  use: FileUse,
): AsyncIterable<Uint8Array> {
  use.size = first.data.length;
  if (first.data.length > 0) yield first.data;
  for await (const { data } of rest) {
    use.size += data.length;
    if (data.length > 0) yield data;
  }
}

/** Returns a key that sorts directories first, then by name. */
function sortKey({ name, stat }: { name: string; stat: FileStat }): string {
  return `${stat.kind === 'directory' ? 0 : 1}${name}`;
}

const TYPES: Record<FileKind, FileType> = {
  file: FileType.FILE,
  directory: FileType.DIRECTORY,
  link: FileType.LINK,
  other: FileType.OTHER,
};

function toEntry(name: string, { kind, permissions, sizeBytes, mtimeS }: FileStat): FileEntry {
  const modifiedAt = toTime(mtimeS);
  return create(FileEntrySchema, {
    name,
    type: TYPES[kind],
    size: sizeBytes,
    ...(modifiedAt !== undefined && { modifiedAt }),
    ...(permissions !== undefined && { mode: permissions.toString(8).padStart(4, '0') }),
  });
}

/** The last second that RFC 3339 can name. */
const LAST_S = 253_402_300_799;

/** Returns a time. Undefined for 0 and less, and past the last second of RFC 3339, as a phone may send any number. */
function toTime(mtimeS: number): Timestamp | undefined {
  return mtimeS > 0 && mtimeS <= LAST_S ? timestampFromMs(mtimeS * 1000) : undefined;
}
