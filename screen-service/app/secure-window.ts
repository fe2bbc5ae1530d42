import type { Call } from '../../kit/call.js';
import { parseSecureWindow } from '../../phone/screen/windows.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not report it. Read only
 * when a picture is all black. Not from plain `dumpsys window` (see foreground.ts).
 */
export async function readSecureWindow(call: Call, kept: KeptPhone): Promise<boolean | undefined> {
  const { stdout } = await kept.command(
    call,
    'dumpsys window displays; dumpsys window windows',
    'describe its windows',
  );
  return parseSecureWindow(stdout.toString('utf8'));
}
