import type { PhoneSession } from '../phones/phone-session.js';

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not tell. Asked only
 * when a picture is all black.
 */
export async function readSecureWindow(session: PhoneSession): Promise<boolean | undefined> {
  const { stdout } = await session.command('dumpsys window', 'describe its windows');
  return parseSecureWindow(stdout.toString('utf8'));
}

/** Looks up the focused window's block and the flags in its attributes (`fl=…SECURE…`, in older versions a number). */
export function parseSecureWindow(dumpsys: string): boolean | undefined {
  const focused = /mCurrentFocus=Window\{(\w+)/.exec(dumpsys)?.[1];
  if (focused === undefined) return undefined;
  const blocks = dumpsys.split(/^\s*Window #\d+ /m);
  const block = blocks.slice(1).find((text) => text.startsWith(`Window{${focused}`));
  const flags = block === undefined ? undefined : /\bfl=([^\n]*)/.exec(block)?.[1];
  if (flags === undefined) return undefined;
  if (/^#?[0-9a-f]{6,8}\b/.test(flags)) return (Number.parseInt(flags.replace('#', ''), 16) & FLAG_SECURE) !== 0;
  return /\bSECURE\b/.test(flags);
}

const FLAG_SECURE = 0x2000;
