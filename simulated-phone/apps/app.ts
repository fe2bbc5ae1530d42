import type { Clock, Timer } from '../../kit/async/clock.js';
import type { Painter } from '../ui/painter.js';
import type { View } from '../ui/view.js';
import type { ZoneTime } from '../ui/zone-time.js';
import type { Target } from '../system/target.js';
import type { Conditions, Packages, PhoneFiles, PhoneIdentity, PhoneNetwork, Settings } from '../system/system.js';

/** An app that the phone draws by itself: one of its own, or one of the operator's (load-apps.ts). */
export interface App {
  /** `com.cloudphone.notes`. */
  readonly package: string;
  readonly label: string;
  /** Draws the icon into a square of `size` dp, corners included. Absent: the icon is the first letter of the label. */
  readonly drawIcon?: (painter: Painter, size: number) => void;
  /** Key of `activities` that the launcher opens. Absent: the app does not show there. */
  readonly launcherActivity?: string;
  /** The activities by short name: `.Main`. */
  readonly activities: Readonly<Record<string, (context: AppContext) => Activity>>;
  /** Returns the activity for an intent without a component; undefined when the intent is not for this app. */
  readonly activityFor?: (action: string, data: string | undefined) => string | undefined;
}

/** One screen of an app while it is open. */
export interface Activity {
  readonly content: View;
  /** Colour behind the status and navigation bars. Absent: the surface colour. */
  readonly barColor?: string;
  readonly barInk?: 'dark' | 'light';
  /** Whether content reaches below the bars, as a launcher's wallpaper does. */
  readonly edgeToEdge?: boolean;
  /** Returns true when it handled BACK itself. */
  onBack?(): boolean;
  /** Is called when it is in front for the first time. */
  onOpen?(): void;
  /** Is called when it is in front: after `onOpen`, and again when nothing covers it any more. */
  onResume?(): void;
  onDestroy?(): void;
}

export interface DialogOptions {
  title?: string;
  message?: string;
  /** Content below the message. */
  content?: View;
  buttons: readonly { label: string; id?: string; kind?: 'text' | 'danger'; onClick?: () => void }[];
  /** Whether a touch outside or BACK closes it. Absent: true. */
  dismissible?: boolean;
  onDismiss?: () => void;
}

/** One app that is open somewhere in the stack, for the recents screen. */
export interface OpenTask {
  readonly id: number;
  readonly package: string;
  readonly label: string;
  /** Height over width of the display. */
  readonly aspect: number;
  /** Draws the latest picture of the app into a box of `width` by `height`, dp. */
  drawPreview(painter: Painter, width: number, height: number): void;
}

/** The phone and the screen, as an activity uses them. */
export interface AppContext {
  readonly package: string;
  /** Values of `am start`'s `--es`, `--ei`, `--ez`. */
  readonly extras: Readonly<Record<string, string>>;
  readonly data: string | undefined;
  readonly identity: PhoneIdentity;
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: PhoneFiles;
  readonly network: PhoneNetwork;
  readonly packages: Packages;
  readonly settings: Settings;
  readonly conditions: Conditions;
  readonly zoneTime: ZoneTime;
  /** The zone that the phone's clock shows. */
  readonly timeZone: string;
  /** Multiplies lengths of animations; 0 switches them off. */
  readonly animatorScale: number;
  open(target: Target, extras?: Readonly<Record<string, string>>): void;
  /** Closes this activity. */
  finish(): void;
  /** Opens a dialog. Returns the function that closes it. */
  dialog(options: DialogOptions): () => void;
  toast(text: string): void;
  /** Puts a message into the notification shade, in place of an earlier one with the same tag. A tap on it opens `target`. */
  notify(message: {
    tag: string;
    title: string;
    text: string;
    target?: Target;
    extras?: Readonly<Record<string, string>>;
  }): void;
  /** Whether this activity is in front. */
  readonly inFront: boolean;
  focus(view: View | undefined): void;
  /** Sets FLAG_SECURE. */
  setSecure(secure: boolean): void;
  /**
   * Calls `run` once after `ms`, unless the activity is gone by then. `pending`: the call will change the picture, so the screen counts as
   * settled only after it.
   */
  later(ms: number, run: () => void, options?: { pending?: boolean }): Timer;
  /** Waits for async work, whose failure is logged. `done` and `failed` are called only while the activity is open. */
  run<T>(work: Promise<T>, done: (value: T) => void, failed?: (error: unknown) => void): void;
  /** Aborts when the activity closes. */
  readonly signal: AbortSignal;
  readonly tasks: { list(): readonly OpenTask[]; open(id: number): void; close(id: number): void; closeAll(): void };
  /** Draws any package's icon in a square of `size` dp. */
  drawIconOf(packageName: string, painter: Painter, size: number): void;
}
