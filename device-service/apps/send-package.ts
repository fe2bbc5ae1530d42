import { createReadStream } from 'node:fs';
import type { AppPackage, AppPart } from '../../phone/apk/app-package.js';
import type { PhoneLink, RunOptions } from '../../phone/link/phone-link.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { JOB_LIMIT_MS, PACKAGE_COMMAND_MS } from '../limits.js';
import { installRefused } from './package-failure.js';

/** How much of the progress sending takes; the phone's own work is the rest. */
const SENT_PERCENT = 90;
/** Bytes that are read of a file, and sent, at a time. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Installs an app on a phone, as `adb install-multiple` does: a session, each APK written into it, a commit. It takes lone APKs as well,
 * and works on every Android version since 5. An installed app is updated.
 *
 * Throws JobFailure with the phone's own error text when it refuses. A session that is not committed is given up; one that a crash leaves
 * holds a copy of the app on the phone until its next start.
 */
export async function sendPackage(
  link: PhoneLink,
  { base, parts }: AppPackage,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (percent: number) => void },
): Promise<void> {
  const command = { timeoutMs: PACKAGE_COMMAND_MS, maxBytes: 64 * 1024 };
  const work = { ...command, timeoutMs: JOB_LIMIT_MS.install, doing: 'install an app', signal };
  const totalBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const created = await run(link, `pm install-create -r -S ${totalBytes}`, {
    ...command,
    doing: 'begin an install',
    signal,
  });
  const session = /\[(\d+)\]/.exec(created)?.[1];
  if (!created.startsWith('Success') || session === undefined) throw installRefused(base.package, created);
  let isOver = false;
  try {
    let sentBytes = 0;
    const onSent = (bytes: number): void => {
      sentBytes += bytes;
      onProgress((sentBytes / totalBytes) * SENT_PERCENT);
    };
    for (const part of parts) {
      const service = `exec:pm install-write -S ${part.sizeBytes} ${session} ${shellQuote(part.name)} -`;
      const written = (await link.feed(service, contentOf(part, onSent), work)).toString('utf8');
      if (!written.startsWith('Success')) throw installRefused(base.package, written);
    }
    const committed = await run(link, `pm install-commit ${session}`, work);
    isOver = true;
    if (!/^Success/m.test(committed)) throw installRefused(base.package, committed);
  } finally {
    // Also when the signal has aborted. A session that cannot be given up is removed by the phone itself, at its next start.
    if (!isOver && link.usable) {
      const givenUp = run(link, `pm install-abandon ${session}`, { ...command, doing: 'give up an install' });
      await givenUp.catch(() => undefined);
    }
  }
}

async function run(link: PhoneLink, command: string, options: RunOptions): Promise<string> {
  return (await link.exec(command, options)).toString('utf8');
}

async function* contentOf({ path }: AppPart, onSent: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    yield chunk as Buffer;
    onSent((chunk as Buffer).length);
  }
}
