import type { Call } from '../../kit/call/call.js';
import { parseSecureWindow } from '../../phone/screen/windows.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not report it. It is read only
 * when a picture is all black, and not from plain `dumpsys window` (see foreground.ts).
 */
export async function readSecureWindow(call: Call, phoneSession: ReachedPhone): Promise<boolean | undefined> {
  const { stdout } = await phoneSession.command(
    call,
    'dumpsys window displays; dumpsys window windows',
    'describe its windows',
  );
  return parseSecureWindow(stdout.toString('utf8'));
}
