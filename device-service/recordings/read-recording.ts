import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Download } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { RecordingDocument } from '../store/recordings.js';
import { type ByteRange, rangeOf } from './files/byte-range.js';
import type { RecordingFiles } from './files/recording-files.js';

/** Bytes of one message. */
const PART_BYTES = 256 * 1024;

/** Yields a file of a recording of this host, or the requested part of it. A file that grows meanwhile is sent up to its present size. */
export async function* readRecording(
  files: RecordingFiles,
  { _id, device }: RecordingDocument,
  {
    segment = 0,
    range,
    ifRange,
  }: { segment?: number | undefined; range?: string | undefined; ifRange?: string | undefined },
): AsyncGenerator<Partial<Omit<Download, '$typeName' | '$unknown' | 'range'>> & { range?: DownloadedRange }> {
  const file = await openFile(files, { _id, device }, segment);
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${_id}-${segment}-${size}-${Math.round(mtimeMs)}"`;
    const part = ifRange !== undefined && ifRange !== etag ? undefined : rangeOf(range, size);
    const { first, bytes } = part === 'unsatisfiable' ? NOTHING : (part ?? { first: 0, bytes: size });
    yield {
      name: segment === 0 ? `${device}-${_id}.mp4` : `${device}-${_id}-${segment}.mp4`,
      ...{ contentType: 'video/mp4', size: bytes, etag },
      range: {
        total: size,
        ...(part !== undefined && (part === 'unsatisfiable' ? { unsatisfiable: true } : { first })),
      },
    };
    for (let at = first; at < first + bytes;) {
      const data = Buffer.alloc(Math.min(PART_BYTES, first + bytes - at));
      const { bytesRead } = await file.read(data, 0, data.length, at);
      if (bytesRead === 0) return;
      yield { data: data.subarray(0, bytesRead) };
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

interface DownloadedRange {
  total: number;
  first?: number;
  unsatisfiable?: boolean;
}

const NOTHING: ByteRange = { first: 0, bytes: 0 };

async function openFile(
  files: RecordingFiles,
  { _id, device }: Pick<RecordingDocument, '_id' | 'device'>,
  segment: number,
): Promise<FileHandle> {
  try {
    return await open(files.path(_id, segment), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const which = `The recording "${_id}" of "${device}" has no file for segment ${segment}.`;
    throw new ApiError(
      'not_found',
      `${which} GET /v1/devices/${device}/recordings/${_id} has how many segments there are.`,
    );
  }
}
