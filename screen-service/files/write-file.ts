import { posix } from 'node:path';
import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { FileStat } from '../../phone/sync/file-stat.js';
import { sendFile } from '../../phone/sync/send-file.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { changeablePath, PATH_MAX_BYTES } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { openSync, withSync } from './file-session.js';
import { runOnFiles } from './run-on-files.js';

const DOING = 'write a file';

/** Of a file that was not there. */
const NEW_PERMISSIONS = 0o644;

/** A request for a file has its mode behind the path: `,33188`. */
const MODE_BYTES = 6;

/**
 * Writes a file of a phone from `body`, which is read no faster than the phone takes it: into a temporary file beside it, which is then
 * renamed. So the file is replaced whole or not at all.
 *
 * Whatever fails before all was sent, the caller's leaving too, ends the write, and the temporary file is removed. From then on the
 * caller's leaving changes nothing. A crash of this service, or the end of the phone, leaves the temporary file, or the whole new one.
 */
export async function writeFile(
  call: Call,
  kept: KeptPhone,
  given: string,
  body: AsyncIterable<Uint8Array>,
): Promise<{ path: string; name: string; stat: FileStat }> {
  const path = changeablePath(given);
  const folder = posix.dirname(path);
  const temporary = posix.join(folder, `.${createId('upload', kept.clock.now())}`);
  if (Buffer.byteLength(temporary) + MODE_BYTES > PATH_MAX_BYTES)
    throw new ApiError('bad_request', `path: its directory has too long a path to be written into.`);
  const permissions = await permissionsFor(call, kept, path);
  await runOnFiles(call, kept, `mkdir -p ${shellQuote(folder)}`, { path: folder, doing: 'make a directory' });
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(call.signal.reason);
  call.signal.addEventListener('abort', onAbort, { once: true });
  if (call.signal.aborted) onAbort();
  const onSent = (): void => call.signal.removeEventListener('abort', onAbort);
  // A call of its own for the rest: it ends with the time of the steps.
  const rest = { signal: stop.signal };
  let isInPlace = false;
  try {
    await send(kept, temporary, bounded(body, kept.limits.fileMaxBytes), { permissions, stop: stop.signal, onSent });
    const [from, to] = [shellQuote(temporary), shellQuote(path)];
    // Into a directory that came meanwhile, mv would move the file.
    const move = `if [ -d ${to} ]; then echo 'Is a directory'; false; else mv -f ${from} ${to}; fi`;
    await runOnFiles(rest, kept, move, { path, doing: DOING });
    isInPlace = true;
    const stat = await withSync(rest, kept, DOING, (session) => statFile(session, path, { follow: false }));
    if (stat instanceof SyncRefusal) throw fileRefusal(stat.reason, path, DOING);
    return { path, name: posix.basename(path), stat };
  } finally {
    onSent();
    if (!isInPlace) await remove(kept, temporary);
  }
}

/** Throws bad_request where the path is a directory, or something else that cannot be replaced. */
async function permissionsFor(call: Call, kept: KeptPhone, path: string): Promise<number> {
  const before = await withSync(call, kept, DOING, (session) => statFile(session, path, { follow: true }));
  if (before instanceof SyncRefusal) return NEW_PERMISSIONS;
  if (before.kind === 'directory')
    throw new ApiError('bad_request', `path: ${path} is a directory. Give the name of a file in it.`);
  if (before.kind === 'other') throw new ApiError('bad_request', `path: ${path} is no regular file.`);
  return before.kind === 'link' ? NEW_PERMISSIONS : (before.permissions ?? NEW_PERMISSIONS) & 0o777;
}

async function send(
  kept: KeptPhone,
  to: string,
  source: AsyncIterable<Uint8Array>,
  { permissions, stop, onSent }: { permissions: number; stop: AbortSignal; onSent: () => void },
): Promise<void> {
  const { session, close } = await openSync(kept, { doing: DOING, signal: stop });
  try {
    const mtimeS = Math.floor(kept.clock.now() / 1000);
    const options = { permissions, mtimeS, finishMs: kept.limits.fileFinishMs, onSent };
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

/** Never throws: the error before is the reason, and a phone that is gone keeps the file. */
async function remove(kept: KeptPhone, path: string): Promise<void> {
  const { signal } = new AbortController();
  await kept.command({ signal }, `rm -f ${shellQuote(path)}`, 'remove a file').catch((error: unknown) => {
    kept.log.warn({ err: error }, 'what was written of an upload could not be removed');
  });
}
