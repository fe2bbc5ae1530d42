import type { Call } from '../../kit/call.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import { fileRefusal } from './file-refusal.js';

/** Runs a command line that changes files. Throws the phone's reason as an error for the caller when it fails. */
export async function runOnFiles(
  call: Pick<Call, 'signal'>,
  kept: KeptPhone,
  command: string,
  { path, doing }: { path: string; doing: string },
): Promise<void> {
  // Its status in the output: phones with Android 6 and older have no other way for it.
  const { stdout } = await kept.command(call, `{ ${command}; } 2>&1; echo ":$?"`, doing);
  const [, text = '', status] = /^(.*?):(\d+)\s*$/s.exec(stdout.toString('utf8')) ?? [];
  if (status === undefined) throw phoneUnavailable(`The phone broke off while it was to ${doing}.`);
  if (status !== '0') throw fileRefusal(text, path, doing);
}
