import type { Call } from '../../kit/call.js';
import { parseSecureWindow } from '../../phone/screen/windows.js';
import type { PhoneSession } from '../phones/phone-session.js';

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not report it. Read only
 * when a picture is all black. Not from plain `dumpsys window` (see foreground.ts).
 */
export async function readSecureWindow(call: Call, session: PhoneSession): Promise<boolean | undefined> {
  const { stdout } = await session.command(
    call,
    'dumpsys window displays; dumpsys window windows',
    'describe its windows',
  );
  return parseSecureWindow(stdout.toString('utf8'));
}
