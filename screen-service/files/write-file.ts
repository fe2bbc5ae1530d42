import { posix } from 'node:path';
import { Cancellation } from '../../kit/async/within.js';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { FileStat } from '../../phone/sync/file-stat.js';
import { sendFile } from '../../phone/sync/send-file.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { changeablePath, MAX_PATH_BYTES } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { openSync, withSync } from './file-session.js';
import { runOnFiles } from './run-on-files.js';

const DOING = 'write a file';

/** Permissions of a file that was not there before. */
const NEW_PERMISSIONS = 0o644;

/** A request to send a file has the mode of the file after the path: `,33188`. */
const MODE_BYTES = 6;

/**
 * Writes a file of a phone from `body`, which is read no faster than the phone takes it. The bytes go into a temporary file in the same
 * folder, which is then renamed. So the file is replaced whole or not at all.
 *
 * A failure ends the write and removes the temporary file. A caller that leaves before all was sent counts as a failure; later it changes
 * nothing. A crash of this service, or the end of the phone, leaves the temporary file or the whole new file.
 */
export async function writeFile(
  call: Call,
  phoneSession: ReachedPhone,
  given: string,
  body: AsyncIterable<Uint8Array>,
): Promise<{ path: string; name: string; stat: FileStat }> {
  const path = changeablePath(given);
  const folder = posix.dirname(path);
  const temporary = posix.join(folder, `.${createId('upload', phoneSession.clock.now())}`);
  if (Buffer.byteLength(temporary) + MODE_BYTES > MAX_PATH_BYTES)
    throw new ApiError('bad_request', `path: its directory has too long a path to be written into.`);
  const permissions = await permissionsFor(call, phoneSession, path);
  await runOnFiles(call, phoneSession, `mkdir -p ${shellQuote(folder)}`, { path: folder, doing: 'make a directory' });
  const stop = new Cancellation([call.signal]);
  const onSent = (): void => stop.end();
  // The remaining steps have a call of their own, which a caller that leaves after `onSent` does not end. Each step has its own time limit.
  const rest = { signal: stop.signal };
  let isInPlace = false;
  try {
    await send(phoneSession, temporary, bounded(body, phoneSession.limits.maxFileBytes), {
      permissions,
      stop: stop.signal,
      onSent,
    });
    const [from, to] = [shellQuote(temporary), shellQuote(path)];
    // If a directory has appeared at the path, plain mv would move the file into it.
    const move = `if [ -d ${to} ]; then echo 'Is a directory'; false; else mv -f ${from} ${to}; fi`;
    await runOnFiles(rest, phoneSession, move, { path, doing: DOING });
    isInPlace = true;
    const stat = await withSync(rest, phoneSession, DOING, (session) => statFile(session, path, { follow: false }));
    if (stat instanceof SyncRefusal) throw fileRefusal(stat.reason, path, DOING);
    return { path, name: posix.basename(path), stat };
  } finally {
    onSent();
    if (!isInPlace) await remove(phoneSession, temporary);
  }
}

/** Returns the permissions of the file. Throws bad_request where the path is a directory, or something else that cannot be replaced. */
async function permissionsFor(call: Call, phoneSession: ReachedPhone, path: string): Promise<number> {
  const before = await withSync(call, phoneSession, DOING, (session) => statFile(session, path, { follow: true }));
  if (before instanceof SyncRefusal) return NEW_PERMISSIONS;
  if (before.kind === 'directory')
    throw new ApiError('bad_request', `path: ${path} is a directory. Give the name of a file in it.`);
  if (before.kind === 'other') throw new ApiError('bad_request', `path: ${path} is no regular file.`);
  return before.kind === 'link' ? NEW_PERMISSIONS : (before.permissions ?? NEW_PERMISSIONS) & 0o777;
}

async function send(
  phoneSession: ReachedPhone,
  to: string,
  source: AsyncIterable<Uint8Array>,
  { permissions, stop, onSent }: { permissions: number; stop: AbortSignal; onSent: () => void },
): Promise<void> {
  const { session, close } = await openSync(phoneSession, { doing: DOING, signal: stop });
  try {
    const mtimeS = Math.floor(phoneSession.clock.now() / 1000);
    const options = { permissions, mtimeS, finishMs: phoneSession.limits.fileFinishMs, onSent };
    const refusal = await sendFile(session, to, source, options);
    if (refusal !== undefined) throw fileRefusal(refusal.reason, posix.dirname(to), DOING);
  } finally {
    close();
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new ApiError('too_large', `The file is larger than the ${maxBytes} bytes allowed here.`);
    yield part;
  }
}

/** Removes the temporary file. Never throws, as the earlier error is the one to report. A phone that is gone keeps the file. */
async function remove(phoneSession: ReachedPhone, path: string): Promise<void> {
  const { signal } = new AbortController();
  await phoneSession.command({ signal }, `rm -f ${shellQuote(path)}`, 'remove a file').catch((error: unknown) => {
    phoneSession.log.warn({ err: error }, 'what was written of an upload could not be removed');
  });
}
