import type { Target } from '../apps/app.js';

/** A message of an app in the notification shade. */
export interface PhoneNotification {
  /** As Android writes it: `0|package|id|tag|uid`. */
  readonly key: string;
  readonly package: string;
  readonly tag: string;
  readonly title: string;
  readonly text: string;
  /** Wall-clock time, ms since the epoch. */
  readonly postedMs: number;
  /** Opened by a tap, which also takes the notification away. */
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

/** Kept of one phone, as Android keeps of one app; the oldest goes for another. */
const MOST = 50;

/** The notifications that were posted and not dismissed. Lost at a restart, as on a phone. */
export class Notifications {
  readonly #now: () => number;
  readonly #changed: () => void;
  #posted: PhoneNotification[] = [];

  /** `now` is wall-clock time; `changed` is called after each change. */
  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** Newest first. */
  list(): readonly PhoneNotification[] {
    return this.#posted;
  }

  /** Takes the place of an earlier one of the same app and tag. Returns its key. */
  post({ package: name, tag, title, text, target, extras = {} }: PostedNotification): string {
    const key = `0|${name}|1|${tag}|${name === 'com.android.shell' ? 2000 : 10085}`;
    const posted = { key, package: name, tag, title, text, postedMs: this.#now(), target, extras };
    this.#posted = [posted, ...this.#posted.filter((other) => other.key !== key)].slice(0, MOST);
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
