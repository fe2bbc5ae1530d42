import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import { Cancellation, within } from '../../../kit/async/within.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { HostSpace } from '../../../kit/files/host-space.js';
import { HostService, type SendLibraryFileResponse } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { LibraryCopyDocument } from '../../store/library-copies.js';
import { LIBRARY_SILENT_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { NotThere } from './library-files.js';

export interface FetchParts {
  /** Returns the way to another host's device service; undefined when it cannot be reached now. */
  wayTo: (hostId: string) => Promise<Transport | undefined>;
  /** The free space on the disk that the file is written to. */
  hostSpace: HostSpace;
  clock: Clock;
}

/**
 * Fetches a file of the libraries from another host into the new file `to`. Once this returns, the file is durable and has its checksum.
 * Throws NotThere when the host does not have the file, and ENOSPC when there is no room here.
 */
export async function fetchLibraryFile(
  { wayTo, hostSpace, clock }: FetchParts,
  { sha256, hostId, sizeBytes }: LibraryCopyDocument,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const way = await wayTo(hostId);
  if (way === undefined) throw new ApiError('unavailable', `The host "${hostId}" cannot be reached.`);
  const hash = createHash('sha256');
  const call = new Cancellation([signal]);
  const pieces = createClient(HostService, way).sendLibraryFile({ sha256 }, { signal: call.signal });
  try {
    const content = bounded(pieces, sizeBytes, { clock, signal });
    const hashed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of content) {
        hash.update(piece);
        yield piece;
      }
    };
    const file = createWriteStream(to, { flags: 'w', mode: 0o600, flush: true });
    await pipeline(Readable.from(hostSpace.bounded(hashed()), { objectMode: false }), file, { signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'not_found') throw error;
    throw new NotThere(`the host "${hostId}" does not have the file`, { cause: error });
  } finally {
    call.abort(new Error('the file is received, or not needed'));
  }
  if (hash.digest('hex') !== sha256) throw new Error('the file that arrived has another checksum');
}

/** Yields the content that arrives. Throws when it is more than announced, or when none arrives for a while. */
async function* bounded(
  pieces: AsyncIterable<SendLibraryFileResponse>,
  sizeBytes: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let bytes = 0;
  for (;;) {
    const next = await within(hostLimit(clock, LIBRARY_SILENT_MS, signal), () => iterator.next());
    if (next.done === true) return;
    const { content } = next.value;
    bytes += content.length;
    if (bytes > sizeBytes) throw new Error('the file that arrives is larger than its copy');
    if (content.length > 0) yield content;
  }
}
