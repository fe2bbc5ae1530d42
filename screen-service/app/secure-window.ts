import type { PhoneSession } from '../phones/phone-session.js';

/** Whether the focused window carries FLAG_SECURE, which makes captures black. Asked only when a picture is all black. */
export async function readSecureWindow(session: PhoneSession): Promise<boolean> {
  const { stdout } = await session.command('dumpsys window', 'describe its windows');
  return parseSecureWindow(stdout.toString('utf8'));
}

/** Looks up the focused window's block and the flags in its attributes (`fl=…SECURE…`, in older versions a number). */
export function parseSecureWindow(dumpsys: string): boolean {
  const focused = /mCurrentFocus=Window\{(\w+)/.exec(dumpsys)?.[1];
  if (focused === undefined) return false;
  const blocks = dumpsys.split(/^\s*Window #\d+ /m);
  const block = blocks.slice(1).find((text) => text.startsWith(`Window{${focused}`));
  if (block === undefined) return false;
  const flags = /\bfl=([^\n]*)/.exec(block)?.[1] ?? '';
  if (/^#?[0-9a-f]{6,8}\b/.test(flags)) return (Number.parseInt(flags.replace('#', ''), 16) & FLAG_SECURE) !== 0;
  return /\bSECURE\b/.test(flags);
}

const FLAG_SECURE = 0x2000;
