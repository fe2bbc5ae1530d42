import type { Call } from '../../kit/call.js';
import { type Foreground, NO_FOREGROUND, parseForeground } from '../../phone/screen/windows.js';
import type { ReachedPhone } from '../phones/reached-phone.js';
import { READ_DISPLAY } from './display.js';
import type { UiTree } from '../tree/ui-node.js';

/** Filtered on the phone, as the whole is some 200 KB. */
const FILTER = "grep -E 'Display: mDisplayId=|mCurrentFocus=|mFocusedApp='";

/**
 * Reads the app in front, and whether the display is off, from `dumpsys window displays`, or from `windows` before Android 10. Not from plain `dumpsys window`:
 * after an application stopped responding that begins with a copy of the state of that time.
 */
export async function readForeground(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<Foreground> {
  for (const part of ['displays', 'windows']) {
    const command = `dumpsys window ${part} | ${FILTER}; ${READ_DISPLAY}`;
    const { stdout } = await phone.command(call, command, 'name the app in front');
    const text = stdout.toString('utf8');
    if (text.includes('mCurrentFocus=')) return parseForeground(text);
  }
  return NO_FOREGROUND;
}

/** Whether the tree is one of the app in front; also when either is not known. */
export function isTreeOf(tree: UiTree, { app }: Foreground): boolean {
  const packages = tree.roots.map(({ packageName }) => packageName).filter((name) => name !== '');
  return app === '' || packages.length === 0 || packages.includes(app);
}

/** The app in front, by the tree where `front` is another app: that is of another moment, or of a window below. */
export function foregroundOf(tree: UiTree | undefined, front: Foreground): Foreground {
  if (tree === undefined || isTreeOf(tree, front)) return front;
  const app = tree.roots.find(({ packageName }) => packageName !== '')?.packageName ?? '';
  return { ...NO_FOREGROUND, app, isDisplayOff: front.isDisplayOff };
}

/**
 * Whether the same window has the focus: in another one, such as the next dialog, an element with the same id and even the same words
 * is another one. While windows change, the phone names none; then app and activity decide.
 */
export function sameWindow(before: Foreground, now: Foreground): boolean {
  if (before.app !== now.app || before.activity !== now.activity) return false;
  return before.window === '' || now.window === '' || before.window === now.window;
}
