import type { PhoneSession } from '../phones/phone-session.js';

/** The app in front. Both empty when it could not be told. */
export interface Foreground {
  app: string;
  /** Short form where the class is in the app's package: `.MainActivity`. */
  activity: string;
}

/** Filtered on the phone: the whole of `dumpsys window` is some 200 KB. */
const COMMAND = "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'";

export async function readForeground(session: PhoneSession): Promise<Foreground> {
  const { stdout } = await session.command(COMMAND, 'tell which app is in front');
  return parseForeground(stdout.toString('utf8'));
}

/**
 * The focused window tells, as long as it belongs to an activity; while a keyboard popup, the notification shade or nothing has
 * the focus, the focused app does.
 */
export function parseForeground(dumpsys: string): Foreground {
  const component =
    /mCurrentFocus=Window\{\S+ (?:u\d+ )?([\w.]+)\/([\w.$]+)[ }]/.exec(dumpsys) ??
    /mFocusedApp=\S*(?:ActivityRecord|AppWindowToken)\{.*? u\d+ ([\w.]+)\/([\w.$]+)[ }]/.exec(dumpsys);
  const [app = '', name = ''] = component?.slice(1) ?? [];
  return { app, activity: name.startsWith(`${app}.`) ? name.slice(app.length) : name };
}
