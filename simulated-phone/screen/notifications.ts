import type { Target } from '../system/target.js';

/** A message of an app in the notification shade. */
export interface PhoneNotification {
  /** The key as Android writes it: `0|package|id|tag|uid`. */
  readonly key: string;
  readonly package: string;
  readonly tag: string;
  readonly title: string;
  readonly text: string;
  /** Wall-clock time, ms since the epoch. */
  readonly postedMs: number;
  /** The target that a tap opens; the tap also removes the notification. */
  readonly target: Target | undefined;
  readonly extras: Readonly<Record<string, string>>;
}

export interface PostedNotification {
  package: string;
  tag: string;
  title: string;
  text: string;
  target?: Target;
  extras?: Readonly<Record<string, string>>;
}

/** Most notifications of a phone, which is what Android keeps of one app; the oldest is removed for another. */
const MAX_NOTIFICATIONS = 50;

/** The notifications that were posted and not dismissed. They are lost at a restart, as on a phone. */
export class Notifications {
  readonly #now: () => number;
  readonly #changed: () => void;
  #posted: PhoneNotification[] = [];

  /** `now` is wall-clock time; `changed` is called after each change. */
  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** Returns the notifications, the newest first. */
  list(): readonly PhoneNotification[] {
    return this.#posted;
  }

  /** Posts a notification in place of an earlier one of the same app and tag. Returns its key. */
  post({ package: name, tag, title, text, target, extras = {} }: PostedNotification): string {
    const key = `0|${name}|1|${tag}|${name === 'com.android.shell' ? 2000 : 10085}`;
    const posted = { key, package: name, tag, title, text, postedMs: this.#now(), target, extras };
    this.#posted = [posted, ...this.#posted.filter((other) => other.key !== key)].slice(0, MAX_NOTIFICATIONS);
    this.#changed();
    return key;
  }

  cancel(key: string): void {
    const left = this.#posted.filter((other) => other.key !== key);
    if (left.length === this.#posted.length) return;
    this.#posted = left;
    this.#changed();
  }

  cancelAll(): void {
    if (this.#posted.length === 0) return;
    this.#posted = [];
    this.#changed();
  }
}
