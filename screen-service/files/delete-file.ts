import type { Call } from '../../kit/call/call.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { changeablePath } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { withSync } from './file-session.js';
import { runOnFiles } from './run-on-files.js';

const DOING = 'delete a file';

/** Deletes a file, a link or an empty directory of a phone. Safe to repeat after a failure. */
export async function deleteFile(call: Call, phoneSession: ReachedPhone, given: string): Promise<string> {
  const path = changeablePath(given);
  const stat = await withSync(call, phoneSession, DOING, (session) => statFile(session, path, { follow: false }));
  if (stat instanceof SyncRefusal) throw fileRefusal(stat.reason, path, DOING);
  const command = stat.kind === 'directory' ? 'rmdir' : 'rm -f';
  await runOnFiles(call, phoneSession, `${command} ${shellQuote(path)}`, { path, doing: DOING });
  return path;
}
