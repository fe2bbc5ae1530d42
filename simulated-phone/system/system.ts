import type { IntentTarget, Target } from './target.js';
import type { SeenElement } from '../ui/seen-elements.js';
import type { Clock } from '../../kit/async/clock.js';
import type { ApkActivity } from '../../phone/apk/app-activities.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneBattery, PhoneLocation, PhoneNetworkQuality } from '../../phone/conditions.js';
import type { PhoneExit, PhoneModel } from '../../phone/driver.js';

/**
 * The parts inside one simulated phone, as they see each other. adbd's services and the shell's commands reach everything through this, and
 * apps get it when they open. Everything that lasts is a file below the phone's directory, written by rename. So a kill -9 loses nothing
 * that was acknowledged, and a snapshot is a copy of that directory.
 */
export interface PhoneSystem {
  readonly identity: PhoneIdentity;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number, 0 <= n < 1. It has a seed in tests. */
  readonly random: () => number;
  readonly properties: Properties;
  readonly settings: Settings;
  readonly logcat: Logcat;
  readonly conditions: Conditions;
  readonly files: PhoneFiles;
  readonly packages: Packages;
  readonly processes: AppProcesses;
  readonly screen: Screen;
  readonly network: PhoneNetwork;
  readonly faults: Faults;
}

export interface PhoneIdentity {
  phoneId: string;
  /** The device's name in the service, which is also `ro.product.device` and the shell's prompt. */
  name: string;
  serial: string;
  model: PhoneModel;
  android: string;
}

/** The properties of `getprop` and `setprop`. `persist.*` lasts; the rest begins anew at each boot. */
export interface Properties {
  get(name: string): string;
  /** Sets a property. Returns false, and sets nothing, when there is no room for it. */
  set(name: string, value: string): boolean;
  entries(): [name: string, value: string][];
}

export type SettingsNamespace = 'system' | 'secure' | 'global';

/** The settings of `settings get|put|delete|list`. They outlast a reboot. */
export interface Settings {
  get(namespace: SettingsNamespace, key: string): string | undefined;
  put(namespace: SettingsNamespace, key: string, value: string): void;
  delete(namespace: SettingsNamespace, key: string): boolean;
  entries(namespace: SettingsNamespace): [key: string, value: string][];
  onChange(listener: (namespace: SettingsNamespace, key: string) => void): void;
}

/** Place, battery and connection as the phone sees them. */
export interface Conditions {
  /** The place. Undefined: no receiver has found one. */
  readonly location: PhoneLocation | undefined;
  readonly battery: PhoneBattery;
  /** The quality of the connection. Undefined: that of the exit. */
  readonly network: PhoneNetworkQuality | undefined;
  onChange(listener: () => void): void;
}

/** The buffers of the log. Crashes have one of their own, so that other lines do not push them out. */
export type LogBuffer = 'main' | 'system' | 'crash' | 'events' | 'radio';

export type LogPriority = 'V' | 'D' | 'I' | 'W' | 'E' | 'F';

export interface LogLine {
  timeMs: number;
  pid: number;
  tid: number;
  priority: LogPriority;
  tag: string;
  message: string;
}

/** The phone's own log, a ring of bounded size. */
export interface Logcat {
  write(priority: LogPriority, tag: string, message: string, pid?: number): void;
  writeTo(buffer: LogBuffer, priority: LogPriority, tag: string, message: string, pid?: number): void;
}

/** The processes of apps. */
export interface AppProcesses {
  /** Returns the pid of the app's process. Starts the process when it does not run. */
  ensureApp(packageName: string, uid: number): number;
  /** Ends the app's process. Returns whether it ran. */
  stopApp(packageName: string): boolean;
}

/** How an app goes wrong: an exception of its code, a signal to its native code, or a main thread that does nothing any more. */
export type AppFailure = 'java' | 'native' | 'hang';

/** The phone's file system. Paths are the phone's own and absolute; the host's paths never show. */
export interface PhoneFiles {
  /** Reads a file. Throws PhoneFileError with an errno name (`ENOENT`, `EACCES`, ...). */
  read(path: string): Promise<Buffer>;
  /** Writes a whole file, which is durable when the promise resolves. Makes parent folders. */
  write(path: string, data: string | Uint8Array): Promise<void>;
}

export interface InstalledPackage {
  package: string;
  label: string;
  versionName: string;
  versionCode: number;
  system: boolean;
  /**
   * Whether an APK of the same package updates the app, whoever signed the APK. Absent: no. The phone's own apps cannot be updated, as
   * nobody has their key.
   */
  updatable?: true;
  /** `com.x/.MainActivity`; absent when it has no launcher entry. */
  launcherActivity?: string;
  /** The activities of an app that was installed from an APK. Absent: it was installed before they were recorded. */
  activities?: readonly ApkActivity[];
  /** PNG or WebP as found in the APK; absent: the launcher draws a letter. */
  icon?: Buffer;
  firstInstallTimeMs: number;
  lastUpdateTimeMs: number;
}

/** Installed packages: the built-in apps and those installed from APKs. */
export interface Packages {
  list(): readonly InstalledPackage[];
  get(name: string): InstalledPackage | undefined;
  /** Returns the user of the app. */
  uidOf(name: string): number;
  onChange(listener: () => void): void;
}

/** A picture: RGBA_8888 rows without padding, top row first, already turned to the current rotation. */
export interface Frame {
  width: number;
  height: number;
  data: Buffer;
  /** The revision these pixels belong to. */
  revision: number;
}

export type TouchPhase = 'down' | 'move' | 'up' | 'cancel';

export type DumpOutcome =
  | { kind: 'xml'; xml: string }
  /** The screen was not quiet for 1 s within 10 s. */
  | { kind: 'not-idle' }
  | { kind: 'null-root' };

export type LaunchOutcome =
  | { kind: 'started'; component: string; waitMs: number }
  | { kind: 'brought-to-front'; component: string }
  | { kind: 'no-such-activity' }
  /** The app does not let others open the activity. */
  | { kind: 'not-exported' }
  | { kind: 'unresolved' };

/** The messages in the notification shade, the newest first. */
export interface ShadeNotifications {
  list(): readonly { key: string; package: string; tag: string; title: string; text: string }[];
  post(message: { package: string; tag: string; title: string; text: string }): string;
}

/** The display, its content, and the way input gets to it. */
export interface Screen {
  /** Pixels of the current rotation. */
  readonly width: number;
  readonly height: number;
  readonly density: number;
  /** Quarter turns, 0 to 3. */
  readonly rotation: 0 | 1 | 2 | 3;
  readonly awake: boolean;
  /** Grows by at least one each time the pixels change; equal revisions mean equal pixels. */
  readonly revision: number;
  /** The activity in front, `package` and `activity` as in `dumpsys window` (`.MainActivity` short form). */
  readonly foreground: { package: string; activity: string };
  /** Identity of the window that has the focus: the activity's own, a dialog's, the shade's. */
  readonly focusedWindow: string;
  /** Whether a text field has the focus, so that the on-screen keyboard is up. */
  readonly keyboardShown: boolean;
  /** The focused field, for `dumpsys input_method`; undefined when none has the focus. `view`: as Android prints it. */
  readonly focusedField: { package: string; text: string; password: boolean; view: string } | undefined;
  /** Text that COPY stores and PASTE types. */
  clipboard: string;
  /** Whether the notification shade covers the screen; set it to open or close it. */
  shadeOpen: boolean;
  readonly notifications: ShadeNotifications;
  /** Whether FLAG_SECURE is set on the window in front, so that captures are black. */
  readonly secure: boolean;
  /** Overrides width and height, as `wm size` does; undefined removes the override. */
  setSizeOverride(size: { width: number; height: number } | undefined): void;
  setDensityOverride(density: number | undefined): void;
  /** Draws the screen now, which takes some 1 ms at 720x1280. A canvas is borrowed from a pool, so that an idle phone keeps none. */
  capture(options?: { scale?: number }): Frame;
  /** Draws the screen at `width` x `height` and encodes it as JPEG, for minicap. */
  captureJpeg(size: { width: number; height: number; quality: number }): Promise<Buffer>;
  /**
   * Makes uiautomator's dump once there were no accessibility events for 1 s. It waits for that at most 10 s and then ends as `not-idle`.
   * With `compressed`, it waits at most 1 s and then makes the dump all the same.
   */
  dump(options: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome>;
  /** Returns the active window as Appium's UiAutomator2 server writes it, without waiting; undefined when there is none. */
  source(): string | undefined;
  /** Returns the elements of the active window, without waiting; undefined when there is none. */
  elements(): readonly SeenElement[] | undefined;
  /** When accessibility was last notified of a change, on the phone's monotonic clock. */
  readonly lastEventMs: number;
  touch(event: { phase: TouchPhase; x: number; y: number; pointer: number }): void;
  /** Takes a key by its Android key code (KEYCODE_*). A press is a down and an up. */
  key(event: { code: number; phase: 'down' | 'up' }): void;
  /** Commits text into the focused field, as an input method does. Returns false when nothing has the focus. */
  commitText(text: string): boolean;
  /** Deletes all text of the focused field. Returns false when nothing has the focus. */
  clearText(): boolean;
  /**
   * Opens an activity as `am start -n` does, or the launcher activity when only a package is given. `extras` are the values of `--es`,
   * `--ei`, `--ez`. An activity in front that is launched again with extras starts again.
   */
  launch(target: Target & { extras?: Readonly<Record<string, string>> }): LaunchOutcome;
  /** Returns the components that take an intent, and the component that is opened: one of them, or the dialog in which to choose. */
  query(target: IntentTarget): { components: string[]; resolved: string | undefined };
  forceStop(packageName: string): void;
  /** Lets an app that is open go wrong. Returns false when it is not open. */
  fail(packageName: string, failure: AppFailure): boolean;
  /** Title of the system's dialog about an app that has the focus, as in `dumpsys window`; undefined: none. */
  readonly failureDialog: string | undefined;
  /** Calls `listener` after each change of `revision`. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /**
   * The true end of all movement, on the phone's monotonic clock. Animations and pending content count, endless movement (caret, spinner,
   * stopwatch) does not. Undefined when all is still. Tests and benches compare the end of `act` with it.
   */
  readonly settlesAtMs: number | undefined;
}

/** The phone's network, which leads out by its exit. */
export interface PhoneNetwork {
  readonly exit: PhoneExit;
  /** Fetches a text of at most `maxBytes` by GET. Refuses private and loopback targets unless the operator allows them. */
  fetchText(
    url: string,
    /**
     * `maxRedirects`: 0 returns a redirect as it is. Absent: a few are followed. `proxy`: `host:port` of an HTTP proxy for the
     * request. It is refused where the exit has a forwarder, as that is the only proxy there.
     */
    options: { maxBytes: number; signal?: AbortSignal; maxRedirects?: number; proxy?: string },
  ): Promise<{ status: number; text: string; type: string }>;
}

/** Delays and failures that tests and benches set, per phone. All zero or absent by default. */
export interface Faults {
  /** Delay of each screencap, framebuffer and minicap frame, ms. */
  captureDelayMs: number;
  /** Delay of each uiautomator dump, ms. */
  treeDelayMs: number;
  /** Delay of each source of the UiAutomator2 server, ms. */
  sourceDelayMs: number;
  /** The next boots stop at this stage and fail. */
  bootFailure?: 'kernel' | 'system' | 'apps';
  /** Whether ADB connections are refused and dropped. */
  adbDown: boolean;
  /** Whether ADB connections and streams are accepted and never get a response. */
  hang: boolean;
  /** An app that goes wrong at once, where it is open. */
  appFailure?: { package: string; failure: AppFailure } | undefined;
  /** The wrong output of screencap or uiautomator; `source-error`: the UiAutomator2 server fails to read the screen. */
  lie?: 'broken-png' | 'huge-line' | 'xml-bomb' | 'not-utf8' | 'null-root' | 'stale-dump' | 'source-error';
}
