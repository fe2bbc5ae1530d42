import type { Call } from '../../kit/call/call.js';
import { type Foreground, NO_FOREGROUND, parseForeground } from '../../phone/screen/windows.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { UiTree } from '../shapes/ui-node.js';

/** The output is filtered on the phone, as the whole is some 200 KB. */
const FILTER = "grep -E 'Display: mDisplayId=|mCurrentFocus=|mFocusedApp='";

/** Prints whether the display is on. */
export const READ_DISPLAY = 'dumpsys power | grep -m 1 mWakefulness=';

/** Prints whether the keyboard shows, in one line. */
export const READ_KEYBOARD = 'dumpsys input_method | grep -m 1 mInputShown=';

/**
 * Reads the app in front, whether the display is off, whether the keyboard shows, and the phone's time of the day. It runs `dumpsys window
 * displays`, or `dumpsys window windows` before Android 10. Plain `dumpsys window` is not used. Once an application has stopped responding,
 * it begins with the old state of that moment.
 */
export async function readForeground(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<Foreground> {
  for (const part of ['displays', 'windows']) {
    const command = `dumpsys window ${part} | ${FILTER}; ${READ_DISPLAY}; ${READ_KEYBOARD}; date +%H:%M:%S`;
    const { stdout } = await phone.command(call, command, 'name the app in front');
    const text = stdout.toString('utf8');
    if (text.includes('mCurrentFocus=')) return parseForeground(text);
  }
  return NO_FOREGROUND;
}

/** Returns whether the tree is of the app in front. Also returns true when the tree names no app, or the app in front is not known. */
export function isTreeOf(tree: UiTree, { app }: Foreground): boolean {
  const packages = tree.roots.map(({ packageName }) => packageName).filter((name) => name !== '');
  return app === '' || packages.length === 0 || packages.includes(app);
}

/**
 * Returns the app in front. Where the tree is of another app than `front`, the tree decides. `front` was then read at another moment, or
 * names a window below the one in the tree.
 */
export function foregroundOf(tree: UiTree | undefined, front: Foreground): Foreground {
  if (tree === undefined || isTreeOf(tree, front)) return front;
  const app = tree.roots.find(({ packageName }) => packageName !== '')?.packageName ?? '';
  return { ...front, app, activity: '', window: '' };
}

/**
 * Whether the same window has the focus. In another window, such as the next dialog, an element with the same id, and even the same words,
 * is another element. While windows change, the phone names no window; then app and activity decide.
 */
export function sameWindow(before: Foreground, now: Foreground): boolean {
  if (before.app !== now.app || before.activity !== now.activity) return false;
  return before.window === '' || now.window === '' || before.window === now.window;
}
