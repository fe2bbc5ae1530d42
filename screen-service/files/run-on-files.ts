import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import { fileRefusal } from './file-refusal.js';

/** Runs a command line that changes files. When the command fails, throws an error for the caller that has the phone's reason. */
export async function runOnFiles(
  call: Pick<Call, 'signal'>,
  phoneSession: ReachedPhone,
  command: string,
  { path, doing }: { path: string; doing: string },
): Promise<void> {
  // The command prints its status, as phones with Android 6 and older do not return it in another way.
  const { stdout } = await phoneSession.command(call, `{ ${command}; } 2>&1; echo ":$?"`, doing);
  const [, text = '', status] = /^(.*?):(\d+)\s*$/s.exec(stdout.toString('utf8')) ?? [];
  if (status === undefined) throw phoneUnavailable(`The phone broke off while it was to ${doing}.`);
  if (status !== '0') throw fileRefusal(text, path, doing);
}
