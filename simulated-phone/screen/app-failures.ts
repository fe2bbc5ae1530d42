import type { Timer } from '../../kit/async/clock.js';
import type { DialogOptions } from '../apps/app.js';
import type { AppFailure } from '../system/system.js';
import type { Target } from '../system/target.js';
import { type FailingApp, FailureLog } from './failure-log.js';
import type { ScreenSystem } from './screen-system.js';
import type { Window } from './window.js';

/** An app has this time to respond to an input, ms. */
const INPUT_LIMIT_MS = 5_000;

/** An app that crashes again within this time keeps stopping, ms. Only then Android shows a dialog. */
const REPEATED_MS = 60_000;

/** Most apps whose latest crash is remembered. */
const MAX_REMEMBERED = 64;

/** The apps of a phone, as their failures need them. */
export interface FailureHost {
  /** Returns the component of the app's activity in front; undefined where none is open. */
  activityOf: (packageName: string) => string | undefined;
  isInFront: (packageName: string) => boolean;
  labelOf(packageName: string): string;
  /** Closes all activities of an app. Returns false when none was open. */
  end(packageName: string): boolean;
  launch(target: Target): void;
  /** Shows a dialog of the system. Undefined: there is nothing that it could be above. */
  show(options: DialogOptions): Window | undefined;
  isOpen(window: Window): boolean;
}

/** Lets apps crash and hang, with the lines of the log and the dialogs that Android has for that. */
export class AppFailures {
  readonly #system: ScreenSystem;
  readonly #host: FailureHost;
  readonly #log: FailureLog;
  /** When each app crashed last, monotonic ms. */
  readonly #crashes = new Map<string, number>();
  /** The apps that hang, and the timer of an input that waits. */
  readonly #hung = new Map<string, { waiting: Timer | undefined }>();
  /** The system's dialogs by their titles. An app has one of each at a time. */
  readonly #dialogs = new Map<string, Window>();

  constructor(system: ScreenSystem, host: FailureHost) {
    this.#system = system;
    this.#host = host;
    this.#log = new FailureLog(system);
  }

  fail(packageName: string, failure: AppFailure): void {
    if (failure === 'java') this.crashed(packageName, this.#log.inducedException);
    else if (failure === 'native') this.#ends(packageName, (app) => this.#log.signal(app));
    else if (!this.#hung.has(packageName)) this.#hung.set(packageName, { waiting: undefined });
  }

  /** Ends an app because of an exception. */
  crashed(packageName: string, thrown: string): void {
    this.#ends(packageName, (app) => this.#log.exception(app, thrown));
  }

  /** Is called when an app is no longer open. */
  ended(packageName: string): void {
    this.#hung.get(packageName)?.waiting?.cancel();
    this.#hung.delete(packageName);
  }

  /** Whether the app of a window does nothing with input. The input then waits for a response, as Android watches that. */
  ignoresInput(window: Window): boolean {
    const hung = this.#hung.get(window.package);
    if (hung === undefined || window.kind === 'shade') return false;
    hung.waiting ??= this.#system.clock.after(INPUT_LIMIT_MS, () => {
      hung.waiting = undefined;
      this.#notResponding(window.package);
    });
    return true;
  }

  titleOf(window: Window | undefined): string | undefined {
    return window && [...this.#dialogs].find(([, dialog]) => dialog === window)?.[0];
  }

  #ends(packageName: string, write: (app: FailingApp) => void): void {
    const app = this.#appOf(packageName);
    const label = this.#host.labelOf(packageName);
    write(app);
    this.#system.processes.stopApp(packageName);
    this.#host.end(packageName);
    const nowMs = this.#system.clock.monotonicMs();
    const keepsStopping = nowMs - (this.#crashes.get(packageName) ?? -Infinity) < REPEATED_MS;
    this.#note(packageName, nowMs);
    const showsFirst = this.#system.settings.get('global', 'show_first_crash_dialog') === '1';
    if (app.activity === undefined || !(keepsStopping || showsFirst)) return;
    this.#show(`Application Error: ${packageName}`, {
      title: keepsStopping ? `${label} keeps stopping` : `${label} has stopped`,
      buttons: [
        ...(keepsStopping
          ? []
          : [{ label: 'Open app again', id: 'android:id/aerr_restart', onClick: () => this.#host.launch({ package: packageName }) }]), // prettier-ignore
        { label: 'App info', id: 'android:id/aerr_app_info', onClick: () => this.#showInfo(packageName) },
        { label: 'Close app', id: 'android:id/aerr_close' },
      ],
    });
  }

  #notResponding(packageName: string): void {
    if (this.#host.activityOf(packageName) === undefined) return;
    this.#log.notResponding(this.#appOf(packageName), INPUT_LIMIT_MS + 1);
    this.#show(`Application Not Responding: ${packageName}`, {
      title: `${this.#host.labelOf(packageName)} isn't responding`,
      buttons: [
        { label: 'Close app', id: 'android:id/aerr_close', onClick: () => this.#close(packageName) },
        // The app goes on hanging. The next input waits again.
        { label: 'Wait', id: 'android:id/aerr_wait' },
      ],
    });
  }

  #close(packageName: string): void {
    this.#log.closed(this.#appOf(packageName));
    this.#system.processes.stopApp(packageName);
    this.#host.end(packageName);
  }

  #showInfo(packageName: string): void {
    const action = 'android.settings.APPLICATION_DETAILS_SETTINGS';
    this.#host.launch({ action, categories: [], data: `package:${packageName}` });
  }

  #show(title: string, options: DialogOptions): void {
    for (const [other, dialog] of this.#dialogs) if (!this.#host.isOpen(dialog)) this.#dialogs.delete(other);
    if (this.#dialogs.has(title)) return;
    const window = this.#host.show(options);
    if (window !== undefined) this.#dialogs.set(title, window);
  }

  #appOf(packageName: string): FailingApp {
    const uid = this.#system.packages.uidOf(packageName);
    const pid = this.#system.processes.ensureApp(packageName, uid);
    const { activityOf, isInFront } = this.#host;
    return { package: packageName, activity: activityOf(packageName), isInFront: isInFront(packageName), pid, uid };
  }

  #note(packageName: string, nowMs: number): void {
    this.#crashes.delete(packageName);
    this.#crashes.set(packageName, nowMs);
    const [oldest] = this.#crashes.keys();
    if (this.#crashes.size > MAX_REMEMBERED && oldest !== undefined) this.#crashes.delete(oldest);
  }
}
