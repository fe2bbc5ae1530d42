import type { SeenElement } from './ui/seen-elements.js';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { PhoneBattery, PhoneLocation, PhoneNetworkQuality } from '../phone/conditions.js';
import type { PhoneExit, PhoneModel } from '../phone/driver.js';

/**
 * The parts inside one simulated phone, as they see each other. adbd's services and the shell's commands reach everything
 * through this; apps are given it when they open. Everything that lasts is a file below the phone's directory, written by
 * rename, so a kill -9 loses nothing that was acknowledged and a snapshot is a copy of that directory.
 */
export interface PhoneSystem {
  readonly identity: PhoneIdentity;
  readonly clock: Clock;
  readonly log: Log;
  /** 0 <= n < 1. Seeded in tests. */
  readonly random: () => number;
  readonly properties: Properties;
  readonly settings: Settings;
  readonly logcat: Logcat;
  readonly conditions: Conditions;
  readonly files: PhoneFiles;
  readonly packages: Packages;
  readonly screen: Screen;
  readonly network: PhoneNetwork;
  readonly faults: Faults;
}

export interface PhoneIdentity {
  phoneId: string;
  /** Device name of the service; also `ro.product.device` and the shell prompt. */
  name: string;
  serial: string;
  model: PhoneModel;
  android: string;
}

/** `getprop` and `setprop`. `persist.*` lasts; the rest begins anew at each boot. */
export interface Properties {
  get(name: string): string;
  /** Returns false, and sets nothing, when there is no room for it. */
  set(name: string, value: string): boolean;
  entries(): [name: string, value: string][];
}

export type SettingsNamespace = 'system' | 'secure' | 'global';

/** `settings get|put|delete|list`. Lasts. */
export interface Settings {
  get(namespace: SettingsNamespace, key: string): string | undefined;
  put(namespace: SettingsNamespace, key: string, value: string): void;
  delete(namespace: SettingsNamespace, key: string): boolean;
  entries(namespace: SettingsNamespace): [key: string, value: string][];
  onChange(listener: (namespace: SettingsNamespace, key: string) => void): void;
}

/** Place, battery and connection as the phone sees them. */
export interface Conditions {
  /** Undefined: no receiver has found a place. */
  readonly location: PhoneLocation | undefined;
  readonly battery: PhoneBattery;
  /** Undefined: that of its exit. */
  readonly network: PhoneNetworkQuality | undefined;
  onChange(listener: () => void): void;
}

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
}

/** The phone's file system. Paths are the phone's own and absolute; the host's paths never show. */
export interface PhoneFiles {
  /** Throws PhoneFileError with an errno name (`ENOENT`, `EACCES`, ...). */
  read(path: string): Promise<Buffer>;
  /** Whole file, durable when the promise resolves. Makes parent folders. */
  write(path: string, data: string | Uint8Array): Promise<void>;
}

export interface InstalledPackage {
  package: string;
  label: string;
  versionName: string;
  versionCode: number;
  system: boolean;
  /** `com.x/.MainActivity`; absent when it has no launcher entry. */
  launcherActivity?: string;
  /** PNG or WebP as found in the APK; absent: the launcher draws a letter. */
  icon?: Buffer;
  firstInstallTimeMs: number;
  lastUpdateTimeMs: number;
}

/** Installed packages: the built-in apps and those installed from APKs. */
export interface Packages {
  list(): readonly InstalledPackage[];
  get(name: string): InstalledPackage | undefined;
  onChange(listener: () => void): void;
}

/** RGBA_8888 rows without padding, top row first, already turned to the current rotation. */
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
  | { kind: 'unresolved' };

/** The messages in the notification shade, newest first. */
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
  /** Whether a text field has the focus (and so the on-screen keyboard is up). */
  readonly keyboardShown: boolean;
  /** The focused field, for `dumpsys input_method`; undefined when none has the focus. `view`: as Android prints it. */
  readonly focusedField: { package: string; text: string; password: boolean; view: string } | undefined;
  /** Text that COPY stores and PASTE types. */
  clipboard: string;
  /** Whether the notification shade covers the screen; set it to open or close it. */
  shadeOpen: boolean;
  readonly notifications: ShadeNotifications;
  /** Whether FLAG_SECURE is set on the window in front: captures are black. */
  readonly secure: boolean;
  /** Width and height of `wm size` overrides; undefined sets back. */
  setSizeOverride(size: { width: number; height: number } | undefined): void;
  setDensityOverride(density: number | undefined): void;
  /** Draws now. Cost: ~1 ms at 720x1280; a canvas is borrowed from a pool, none is kept by an idle phone. */
  capture(options?: { scale?: number }): Frame;
  /** JPEG of a frame, drawn again at `width` x `height` (minicap). */
  captureJpeg(size: { width: number; height: number; quality: number }): Promise<Buffer>;
  /** uiautomator's dump: waits for 1 s without accessibility events, at most 10 s. `compressed` skips the wait's failure. */
  dump(options: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome>;
  /** The active window as Appium's UiAutomator2 server writes it, without waiting; undefined when there is none. */
  source(): string | undefined;
  /** The elements of the active window, without waiting; undefined when there is none. */
  elements(): readonly SeenElement[] | undefined;
  /** When accessibility was last notified of a change, on the phone's monotonic clock. */
  readonly lastEventMs: number;
  touch(event: { phase: TouchPhase; x: number; y: number; pointer: number }): void;
  /** Android key code (KEYCODE_*). A press is a down and an up. */
  key(event: { code: number; phase: 'down' | 'up' }): void;
  /** Commits text into the focused field, as an input method does. Returns false when nothing has the focus. */
  commitText(text: string): boolean;
  /** Deletes all text of the focused field. Returns false when nothing has the focus. */
  clearText(): boolean;
  /**
   * `am start -n`, or the launcher activity when only a package is given. `extras` are the values of `--es`, `--ei`, `--ez`;
   * an activity in front that is launched again with extras starts over.
   */
  launch(
    target: ({ component: string } | { package: string } | { action: string; data?: string }) & {
      extras?: Readonly<Record<string, string>>;
    },
  ): LaunchOutcome;
  forceStop(packageName: string): void;
  /** Calls `listener` after each change of `revision`. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /**
   * The true end of all movement, on the phone's monotonic clock: animations and pending content, without endless movement
   * (caret, spinner, stopwatch). Undefined when all is still. For tests and benches, which hold `act` against it.
   */
  readonly settlesAtMs: number | undefined;
}

/** The phone's way out. */
export interface PhoneNetwork {
  readonly exit: PhoneExit;
  /** GET over http; text of at most `maxBytes`. Refuses private and loopback targets unless the operator allows them. */
  fetchText(
    url: string,
    /**
     * `mostRedirects`: 0 returns a redirect as it is. Absent: a few are followed. `proxy`: `host:port` of an HTTP proxy to send the
     * request to; refused where the exit has a forwarder, which is the only proxy there.
     */
    options: { maxBytes: number; signal?: AbortSignal; mostRedirects?: number; proxy?: string },
  ): Promise<{ status: number; text: string; type: string }>;
}

/** Delays and failures that tests and benches set, per phone. All zero or absent by default. */
export interface Faults {
  /** Added to each screencap, framebuffer and minicap frame, ms. */
  captureDelayMs: number;
  /** Added to each uiautomator dump, ms. */
  treeDelayMs: number;
  /** Added to each source of the UiAutomator2 server, ms. */
  sourceDelayMs: number;
  /** The next boots stop at this stage and fail. */
  bootFailure?: 'kernel' | 'system' | 'apps';
  /** Refuses and drops ADB connections while true. */
  adbDown: boolean;
  /** Accepts ADB connections and streams and then never responds. */
  hang: boolean;
  /** The wrong output of screencap or uiautomator; `source-error`: the UiAutomator2 server fails to read the screen. */
  lie?: 'broken-png' | 'huge-line' | 'xml-bomb' | 'not-utf8' | 'null-root' | 'stale-dump' | 'source-error';
}
