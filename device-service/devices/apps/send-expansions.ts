import type { Clock } from '../../../kit/async/clock.js';
import type { AppPackage, AppPart } from '../../../phone/apk/app-package.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { shellQuote } from '../../../phone/link/shell-quote.js';
import { sendFile } from '../../../phone/sync/send-file.js';
import { type SyncRefusal, SyncSession } from '../../../phone/sync/sync-session.js';
import { JobFailure } from '../jobs/job-failure.js';
import { JOB_LIMIT_MS, PACKAGE_COMMAND_MS } from '../limits.js';
import { failureIn } from './package-failure.js';
import { contentOf } from './part-content.js';

/** How long a phone may accept no bytes of a file, ms. */
const IDLE_MS = 20_000;
/** How long a phone may take from the end of a file to its response, ms. */
const FINISH_MS = 60_000;

const PERMISSIONS = 0o644;

/**
 * Writes the expansion files (OBB) of an installed app to the place where Android expects them, and returns their paths. Each file is
 * written beside its place and then renamed, so it is never there in part. A crash leaves a partial file, which the next try overwrites.
 *
 * Throws JobFailure when the phone refuses a file.
 */
export async function sendExpansions(
  link: PhoneLink,
  { base, expansions }: AppPackage,
  { clock, signal, onSent }: { clock: Clock; signal: AbortSignal; onSent: (bytes: number) => void },
): Promise<string[]> {
  const folder = `/sdcard/Android/obb/${base.package}`;
  const written: string[] = [];
  for (const expansion of expansions) {
    const path = `${folder}/${expansion.name}`;
    const part = `${path}.part`;
    const prepared = await run(link, `mkdir -p ${shellQuote(folder)}`, signal);
    const refusal = prepared ?? (await send(link, part, expansion, { clock, signal, onSent }));
    // If `path` were a directory, mv would move the file into it.
    const [from, to] = [shellQuote(part), shellQuote(path)];
    const move = `if [ -d ${to} ]; then echo 'Is a directory'; false; else mv -f ${from} ${to}; fi`;
    const words = refusal ?? (await run(link, move, signal));
    if (words !== undefined) throw notWritten(base.package, expansion.name, words);
    written.push(path);
  }
  return written;
}

function notWritten(packageName: string, name: string, words: string): JobFailure {
  const message = `${packageName} is installed, but not its expansion file ${name}: ${failureIn(words)}. Install it again when there is room for the file.`;
  return new JobFailure({ error: 'unavailable', message });
}

/** Runs a command; returns what the phone prints when it refuses. */
async function run(link: PhoneLink, command: string, signal: AbortSignal): Promise<string | undefined> {
  const options = { timeoutMs: PACKAGE_COMMAND_MS, maxBytes: 64 * 1024, doing: 'write an expansion file', signal };
  // The output contains the status, as a phone without the newer shell protocol has no other way to return it.
  const output = (await link.exec(`{ ${command}; } 2>&1 && echo done`, options)).toString('utf8');
  return output.trim() === 'done' ? undefined : output;
}

async function send(
  link: PhoneLink,
  to: string,
  part: AppPart,
  { clock, signal, onSent }: { clock: Clock; signal: AbortSignal; onSent: (bytes: number) => void },
): Promise<string | undefined> {
  const doing = 'write an expansion file';
  const options = { timeoutMs: JOB_LIMIT_MS.install, doing, signal };
  const refusal = await link.session('sync:', options, async (socket, ended): Promise<SyncRefusal | undefined> => {
    const session = new SyncSession(socket, link, { clock, idleMs: IDLE_MS, signal: ended, doing });
    try {
      const mtimeS = Math.floor(clock.now() / 1000);
      const file = { permissions: PERMISSIONS, mtimeS, finishMs: FINISH_MS, onSent: () => undefined };
      return await sendFile(session, to, contentOf(part, onSent), file);
    } finally {
      session.end();
    }
  });
  return refusal === undefined ? undefined : String(refusal.reason);
}
