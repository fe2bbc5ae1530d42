import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import { receiveFile } from '../../phone/sync/receive-file.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { devicePath } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { openSync } from './file-session.js';

/** A part of a file. The first part has the file's size where that is known, and no data. */
export interface FilePart {
  sizeBytes?: number;
  data?: Buffer;
}

/**
 * Yields a file of a phone as it comes. A refusal is thrown before the first part. When the phone's stream ends before the file does, an
 * error is thrown after the last part. Nothing is read from the phone while the reader is busy.
 */
export async function* readFile(
  { signal }: Call,
  phoneSession: ReachedPhone,
  given: string,
): AsyncGenerator<FilePart, void, undefined> {
  const doing = 'read a file';
  const path = devicePath(given);
  const { session, close } = await openSync(phoneSession, { doing, signal });
  try {
    const stat = await statFile(session, path, { follow: true });
    if (stat instanceof SyncRefusal) throw fileRefusal(stat.reason, path, doing);
    if (stat.kind === 'directory')
      throw new ApiError('bad_request', `path: ${path} is a directory. GET …/files?path= lists it.`);
    // Reading a pipe or a device waits for ever, or never ends. Version 1 of the protocol does not report the target of a link.
    if (stat.kind === 'other') throw new ApiError('bad_request', `path: ${path} is no regular file.`);
    const { maxFileBytes } = phoneSession.limits;
    // Files of /proc, to which a link may lead, have a content and the size 0.
    const sizeBytes = stat.isWholeSize && stat.kind === 'file' && stat.sizeBytes > 0 ? stat.sizeBytes : undefined;
    if (sizeBytes !== undefined && sizeBytes > maxFileBytes) throw tooLarge(path, maxFileBytes);
    const content = await receiveFile(session, path);
    if (content instanceof SyncRefusal) throw fileRefusal(content.reason, path, doing);
    yield sizeBytes === undefined ? {} : { sizeBytes };
    let left = sizeBytes ?? maxFileBytes;
    for await (const part of content) {
      if (sizeBytes === undefined && part.length > left) throw tooLarge(path, maxFileBytes);
      const data = part.subarray(0, left);
      left -= data.length;
      if (data.length > 0) yield { data };
      // All bytes of the known size are there. More would come only if the file has grown since.
      if (sizeBytes !== undefined && left === 0) return;
    }
    if (sizeBytes !== undefined && left > 0) throw phoneUnavailable(`${path} became shorter while it was read.`);
  } finally {
    close();
  }
}

function tooLarge(path: string, maxBytes: number): ApiError {
  return new ApiError('too_large', `${path} is larger than the ${maxBytes} bytes allowed here. Use adb for it.`);
}
