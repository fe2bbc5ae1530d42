import type { Clock, Timer } from '../../kit/clock.js';
import type { Painter } from '../ui/painter.js';
import type { View } from '../ui/view.js';
import type { ZoneTime } from '../ui/zone-time.js';
import type { Conditions, Packages, PhoneFiles, PhoneIdentity, PhoneNetwork, Settings } from '../system.js';

/** An app that is part of the phone. */
export interface App {
  /** `com.cloudphone.notes`. */
  readonly package: string;
  readonly label: string;
  /** Fills a square of `size` dp, corners included. */
  readonly drawIcon: (painter: Painter, size: number) => void;
  /** Key of `activities` that the launcher opens; absent: it does not show there. */
  readonly launcherActivity?: string;
  /** By short name: `.Main`. */
  readonly activities: Readonly<Record<string, (context: AppContext) => Activity>>;
  /** The activity for an intent without a component; undefined when it is not for this app. */
  readonly activityFor?: (action: string, data: string | undefined) => string | undefined;
}

/** One screen of an app while it is open. */
export interface Activity {
  readonly content: View;
  /** Behind the status and navigation bars; the surface colour when absent. */
  readonly barColor?: string;
  readonly barInk?: 'dark' | 'light';
  /** Content reaches below the bars, as a launcher's wallpaper does. */
  readonly edgeToEdge?: boolean;
  /** Returns true when it handled BACK itself. */
  onBack?(): boolean;
  /** It is in front for the first time. */
  onOpen?(): void;
  /** It is in front: for the first time, after `onOpen`, and again when nothing covers it any more. */
  onResume?(): void;
  onDestroy?(): void;
}

/**
 * Where an activity or an app is to be opened. `byIcon`: by the intent that a launcher sends, which brings an app that is open to the front as
 * it was left.
 */
export type Target = { component: string; byIcon?: boolean } | { package: string } | { action: string; data?: string };

export interface DialogOptions {
  title?: string;
  message?: string;
  /** Shown below the message. */
  content?: View;
  buttons: readonly { label: string; id?: string; kind?: 'text' | 'danger'; onClick?: () => void }[];
  /** A touch outside or BACK closes it; true when absent. */
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
  /** Draws its latest picture, in a box of this width (dp). */
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
  /** Returns the function that closes it. */
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
  /** FLAG_SECURE. */
  setSecure(secure: boolean): void;
  /**
   * Runs once after `ms` unless the activity is gone by then. `pending`: it will change the picture by itself, so the screen
   * does not count as settled before.
   */
  later(ms: number, run: () => void, options?: { pending?: boolean }): Timer;
  /** Runs async work; a failure is logged, not thrown away. Called back only while the activity is open. */
  run<T>(work: Promise<T>, done: (value: T) => void, failed?: (error: unknown) => void): void;
  /** Aborts when the activity closes. */
  readonly signal: AbortSignal;
  readonly tasks: { list(): readonly OpenTask[]; open(id: number): void; close(id: number): void; closeAll(): void };
  /** Draws any package's icon in a square of `size` dp. */
  drawIconOf(packageName: string, painter: Painter, size: number): void;
}
