// Parses what a phone prints about its windows, display and keyboard. The commands are `dumpsys window displays`, `dumpsys window windows`,
// `dumpsys power` and `dumpsys input_method`.

/** The app in front. Each part is empty when the phone does not report it. */
export interface Foreground {
  app: string;
  /** Short form where the class is in the app's package: `.MainActivity`. */
  activity: string;
  /** Identifies the window that has the focus: a dialog has another one than its activity. */
  window: string;
  /** Whether the display is off: pictures are black or old, and touches do nothing. False when the phone does not report it. */
  isDisplayOff: boolean;
  /** The keyboard takes touches. Absent: the phone does not report it. */
  isKeyboardShown?: boolean;
  /** The time of the day by the phone's own clock, s since midnight. Absent: the phone does not report it. */
  timeS?: number;
}

export const NO_FOREGROUND: Foreground = { app: '', activity: '', window: '', isDisplayOff: false };

/**
 * Reads the focused window of the built-in display, as long as it belongs to an activity, else its focused app. A keyboard popup, the
 * notification shade or nothing may have the focus.
 */
export function parseForeground(dumpsys: string): Foreground {
  const displays = dumpsys.split(/^[ \t]*Display: mDisplayId=/m);
  const text = displays.find((display) => /^0\b/.test(display)) ?? dumpsys;
  const [, window = ''] = /mCurrentFocus=Window\{(\w+)/.exec(text) ?? [];
  const component =
    /mCurrentFocus=Window\{\w+ (?:u\d+ )?([\w.]+)\/([\w.$]+)[ }]/.exec(text) ??
    /mFocusedApp=.{0,300}? u\d+ ([\w.]+)\/([\w.$]+)[ ,}]/.exec(text);
  const [app = '', name = ''] = component?.slice(1) ?? [];
  const activity = name.startsWith(`${app}.`) ? name.slice(app.length) : name;
  const [, shown] = /\bmInputShown=(true|false)/.exec(dumpsys) ?? [];
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)\s*$/m.exec(dumpsys) ?? [];
  return {
    app,
    activity,
    window,
    isDisplayOff: parseDisplayOff(dumpsys),
    ...(shown !== undefined && { isKeyboardShown: shown === 'true' }),
    ...(hours !== undefined && { timeS: (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) }),
  };
}

/** Whether the display is off. A dozing phone counts as off, as it shows a clock at the most. */
export function parseDisplayOff(dumpsys: string): boolean {
  return /mWakefulness=(Asleep|Dozing)/.test(dumpsys);
}

/**
 * Whether the focused window carries FLAG_SECURE, which makes captures black; undefined when the phone does not report it. Looks up the
 * window's block and the flags in its attributes (`fl=…SECURE…`, in older versions a number).
 */
export function parseSecureWindow(dumpsys: string): boolean | undefined {
  const { window: focused } = parseForeground(dumpsys);
  if (focused === '') return undefined;
  const blocks = dumpsys.split(/^[ \t]*Window #\d+ /m);
  const block = blocks.slice(1).find((text) => text.startsWith(`Window{${focused}`));
  const flags = block === undefined ? undefined : /\bfl=([^\n]*)/.exec(block)?.[1];
  if (flags === undefined) return undefined;
  if (/^#?[0-9a-f]{6,8}\b/.test(flags)) return (Number.parseInt(flags.replace('#', ''), 16) & FLAG_SECURE) !== 0;
  return /\bSECURE\b/.test(flags);
}

const FLAG_SECURE = 0x2000;
