import type { Call } from '../../kit/call.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { parseForeground } from './foreground.js';

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not say. Read only
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

/** Looks up the focused window's block and the flags in its attributes (`fl=…SECURE…`, in older versions a number). */
export function parseSecureWindow(dumpsys: string): boolean | undefined {
  const { window: focused } = parseForeground(dumpsys);
  if (focused === '') return undefined;
  const blocks = dumpsys.split(/^\s*Window #\d+ /m);
  const block = blocks.slice(1).find((text) => text.startsWith(`Window{${focused}`));
  const flags = block === undefined ? undefined : /\bfl=([^\n]*)/.exec(block)?.[1];
  if (flags === undefined) return undefined;
  if (/^#?[0-9a-f]{6,8}\b/.test(flags)) return (Number.parseInt(flags.replace('#', ''), 16) & FLAG_SECURE) !== 0;
  return /\bSECURE\b/.test(flags);
}

const FLAG_SECURE = 0x2000;
