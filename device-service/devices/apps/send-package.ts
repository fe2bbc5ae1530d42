import type { AppPackage } from '../../../phone/apk/app-package.js';
import type { PhoneLink, RunOptions } from '../../../phone/link/phone-link.js';
import { shellQuote } from '../../../phone/link/shell-quote.js';
import { JOB_LIMIT_MS, PACKAGE_COMMAND_MS } from '../limits.js';
import { installRefused } from './package-failure.js';
import { contentOf } from './part-content.js';

/**
 * Installs an app on a phone as `adb install-multiple` does: it opens a session, writes each APK into it, and commits it. It also
 * installs single APKs, and works on every Android version since 5. An installed app is updated.
 *
 * Throws JobFailure with the phone's own error text when the phone refuses. A session that is not committed is abandoned. After a crash,
 * a session holds a copy of the app on the phone until the phone's next start.
 */
export async function sendPackage(
  link: PhoneLink,
  { base, parts }: AppPackage,
  { signal, onSent }: { signal: AbortSignal; onSent: (bytes: number) => void },
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
    for (const part of parts) {
      const service = `exec:pm install-write -S ${part.sizeBytes} ${session} ${shellQuote(part.name)} -`;
      const written = (await link.feed(service, contentOf(part, onSent), work)).toString('utf8');
      if (!written.startsWith('Success')) throw installRefused(base.package, written);
    }
    const committed = await run(link, `pm install-commit ${session}`, work);
    isOver = true;
    if (!/^Success/m.test(committed)) throw installRefused(base.package, committed);
  } finally {
    // The session is abandoned even when the signal has aborted. If that fails, the phone itself removes the session at its next start.
    if (!isOver && link.usable) {
      const givenUp = run(link, `pm install-abandon ${session}`, { ...command, doing: 'give up an install' });
      await givenUp.catch(() => undefined);
    }
  }
}

async function run(link: PhoneLink, command: string, options: RunOptions): Promise<string> {
  return (await link.exec(command, options)).toString('utf8');
}
