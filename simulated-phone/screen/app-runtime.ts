import type { App, DialogOptions, OpenTask } from '../apps/app.js';
import type { IntentTarget, Target } from '../system/target.js';
import { CHOICES, CHOOSER_COMPONENT } from '../apps/chooser/chooser.js';
import type { AppFailure, LaunchOutcome } from '../system/system.js';
import { overlay } from '../ui/containers.js';
import type { Rect } from '../ui/geometry.js';
import type { Painter } from '../ui/painter.js';
import { theme } from '../ui/theme.js';
import type { View } from '../ui/view.js';
import { AppFailures } from './app-failures.js';
import { AppTimers } from './app-timers.js';
import { dialogView } from './dialog-view.js';
import { ActivityFinder, type FoundActivity, HOME, LAUNCHER_PACKAGE } from './find-activity.js';
import { openActivity, type ActivityActions } from './open-activity.js';
import { paintPreview } from './picture.js';
import type { Passage, RuntimeShell } from './runtime-shell.js';
import type { ScreenCore } from './screen-core.js';
import type { ScreenSystem } from './screen-system.js';
import { restoreViews, type SavedScreen, saveScreen } from './saved-screen.js';
import { Tasks, type ActivityRecord } from './tasks.js';
import { Window } from './window.js';

export const RECENTS = '.Recents';

/** Opens, keeps and closes activities. */
export class AppRuntime {
  readonly #core: ScreenCore;
  readonly #system: ScreenSystem;
  readonly #actions: ActivityActions;
  readonly #shell: RuntimeShell;
  readonly #tasks = new Tasks();
  readonly #activities: ActivityFinder;
  readonly #failures: AppFailures;
  readonly timers: AppTimers;

  constructor(core: ScreenCore, apps: readonly App[], shell: RuntimeShell) {
    this.#core = core;
    this.#system = core.system;
    this.#shell = shell;
    this.#activities = new ActivityFinder(apps, core.system.packages);
    this.timers = new AppTimers(core.system.clock);
    this.#actions = this.#makeActions();
    this.#failures = new AppFailures(core.system, {
      activityOf: (name) => this.#tasks.of(name)?.records.at(-1)?.component,
      isInFront: (name) => this.front?.app.package === name,
      labelOf: (name) => this.#tasks.of(name)?.records.at(-1)?.app.label ?? name,
      end: (name) => this.end(name),
      launch: (target) => void this.launch(target),
      show: (options) => this.#systemDialog(options),
      isOpen: (window) => this.windows.includes(window),
    });
  }

  get front(): ActivityRecord | undefined {
    return this.#tasks.front;
  }

  get activeWindow(): Window | undefined {
    return this.front?.windows.at(-1);
  }

  get windows(): Window[] {
    return this.#tasks.allWindows();
  }

  /** Ends the apps that were uninstalled, and has the app in front show the present ones. */
  packagesChanged(): void {
    for (const { package: name } of this.#tasks.list()) if (!this.#activities.has(name)) this.forceStop(name);
    this.front?.resume();
  }

  launch(target: Target, extras: Readonly<Record<string, string>> = {}): LaunchOutcome {
    const data = 'component' in target || 'action' in target ? target.data : undefined;
    const found = this.#activities.find(target);
    if (found === 'several' && 'action' in target)
      return this.launch(
        { component: CHOOSER_COMPONENT, ...(data !== undefined && { data }) },
        { ...extras, [CHOICES]: this.#activities.choices(target).join('\n') },
      );
    if (found === 'several') return { kind: 'unresolved' };
    if (typeof found === 'string') return { kind: found };
    const { app, name } = found;
    const component = `${app.package}/${name}`;
    const from = this.front;
    const plain = Object.keys(extras).length === 0 && data === undefined;
    if (from?.component === component && plain) return { kind: 'brought-to-front', component };
    const task = this.#tasks.of(app.package);
    const byIcon = !('action' in target || 'component' in target) || ('component' in target && target.byIcon);
    const keepsTask = byIcon || app.package === LAUNCHER_PACKAGE;
    if (task && plain && keepsTask && task.records.some((record) => record.component === component)) {
      this.#tasks.bringToFront(task);
      this.#arrived(app.package === LAUNCHER_PACKAGE ? 'home' : 'open', from);
      return { kind: 'brought-to-front', component: task.records.at(-1)?.component ?? component };
    }
    // The same activity with new extras starts again, so that a script can request another run.
    const again = from?.component === component ? from : undefined;
    try {
      this.#tasks.push(this.#create(found, extras, data), (kept) => kept.package === LAUNCHER_PACKAGE);
      if (again) this.#tasks.pop(again);
      this.#arrived('open', from);
    } catch (error) {
      // The app has started, and ends at once: `am` sees no difference, as on Android.
      this.crashed(app.package, error);
    }
    this.#system.logcat.write(
      'I',
      'ActivityTaskManager',
      `Displayed ${component} for user 0: +${this.#core.display.passageMs}ms`,
    );
    return { kind: 'started', component, waitMs: this.#core.display.passageMs };
  }

  /** Returns the components that take an intent, and the one that opens it, which may be the dialog to choose with. */
  query(target: IntentTarget): { components: string[]; resolved: string | undefined } {
    const components = this.#activities.query(target).map(({ app, name }) => `${app.package}/${name}`);
    const [first, another] = this.#activities.choices(target);
    return { components, resolved: another === undefined ? first : CHOOSER_COMPONENT };
  }

  home(): void {
    const from = this.front;
    for (const window of from?.windows.slice(1) ?? []) this.close(window);
    const task = this.#tasks.of(LAUNCHER_PACKAGE);
    if (from?.app.package === LAUNCHER_PACKAGE && from.name === RECENTS) this.#tasks.pop(from);
    if (this.front?.component === `${LAUNCHER_PACKAGE}/${HOME}`) {
      if (from !== this.front) this.#arrived('home', from);
      this.front.resume();
      return;
    }
    if (task) {
      this.#tasks.bringToFront(task);
      this.#arrived('home', from);
      return;
    }
    this.launch({ component: `${LAUNCHER_PACKAGE}/${HOME}` });
  }

  recents(): void {
    if (this.front?.component === `${LAUNCHER_PACKAGE}/${RECENTS}`) {
      const last = this.#userTasks()[0];
      if (last) this.#openTask(last.id);
      else this.home();
      return;
    }
    if (!this.#tasks.of(LAUNCHER_PACKAGE)) this.launch({ component: `${LAUNCHER_PACKAGE}/${HOME}` });
    this.launch({ component: `${LAUNCHER_PACKAGE}/${RECENTS}` });
  }

  /** Does what BACK does when no keyboard is open that it would close. */
  back(): void {
    const record = this.front;
    const top = this.activeWindow;
    if (!record || !top) return;
    if (top.kind !== 'activity') {
      top.onDismiss?.();
      return;
    }
    if (record.activity.onBack?.() === true) return;
    if (record.component === `${LAUNCHER_PACKAGE}/${HOME}`) return;
    this.#finish(record);
  }

  forceStop(packageName: string): void {
    if (this.end(packageName))
      this.#system.logcat.write('I', 'ActivityManager', `Force stopping ${packageName} appid=10000 user=0`);
  }

  /** Closes all activities of an app. Returns false when none was open. */
  end(packageName: string): boolean {
    const task = this.#tasks.of(packageName);
    if (!task) return false;
    const from = this.front;
    const wasFront = from?.app.package === packageName;
    this.#tasks.remove(task);
    this.#failures.ended(packageName);
    if (!wasFront) return true;
    if (this.front) this.#arrived('close', from);
    else this.home();
    return true;
  }

  /** Ends an app whose code failed, as on a phone. The phone and the others of this process go on. */
  crashed(packageName: string, error: unknown): void {
    this.#system.log.error({ err: error, app: packageName }, 'an app of the phone failed');
    this.#failures.crashed(packageName, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }

  /** Lets an app that is open go wrong. Returns false when it is not open. */
  fail(packageName: string, failure: AppFailure): boolean {
    if (this.#tasks.of(packageName) === undefined) return false;
    this.#failures.fail(packageName, failure);
    return true;
  }

  /** Whether an app does nothing with input to a window. The input counts as one that waits for a response. */
  ignoresInput(window: Window | undefined): boolean {
    return window !== undefined && this.#failures.ignoresInput(window);
  }

  /** Title of the system's dialog about an app, while it has the focus. */
  get failureDialog(): string | undefined {
    return this.#failures.titleOf(this.activeWindow);
  }

  /** Closes a dialog or list. */
  close(window: Window): void {
    for (const { windows } of this.#tasks.list().flatMap(({ records }) => records)) {
      const at = windows.indexOf(window);
      if (at <= 0) continue;
      windows.splice(at, 1);
      this.#shell.windowsChanged();
    }
  }

  openPopup(owner: Window, content: View, anchor: Rect): () => void {
    const record = this.#tasks
      .list()
      .flatMap(({ records }) => records)
      .find(({ windows }) => windows.includes(owner));
    if (!record) return () => undefined;
    const root = overlay({ width: 'fill', background: theme.card, border: theme.outline, radius: 12, clips: true }, [
      content,
    ]);
    return this.#show(record, 'popup', () => root, { anchor, dismissible: true });
  }

  save(): SavedScreen {
    return saveScreen([...this.#tasks.list()].reverse());
  }

  /** Opens the saved apps again, in the same order. An activity loads its data before the typed text is put back. */
  reopen({ tasks }: SavedScreen): void {
    this.closeAll();
    for (const { component, extras, data, views } of tasks.flat()) {
      const found = this.#activities.find({ component });
      if (typeof found === 'string') continue;
      const record = this.#create(found, extras, data);
      this.#tasks.push(record, (kept) => kept.package === LAUNCHER_PACKAGE);
      record.resume();
      void Promise.all(record.loading)
        .then(() => restoreViews(record, views))
        .catch((error: unknown) => this.crashed(record.app.package, error));
    }
    if (this.front === undefined) this.home();
    this.#shell.passed('open', undefined);
    this.#shell.windowsChanged();
  }

  closeAll(): void {
    for (const task of this.#tasks.list()) this.#tasks.remove(task);
  }

  #show(
    record: ActivityRecord,
    kind: 'dialog' | 'popup',
    build: (close: () => void) => View,
    options: { anchor?: Rect; dismissible: boolean; onDismiss?: () => void; package?: string },
  ): () => void {
    const close = (): void => {
      if (record.windows.includes(window)) this.close(window);
    };
    const root = build(close);
    const dismiss = (): void => {
      close();
      options.onDismiss?.();
    };
    const window = new Window({
      manager: this.#shell.manager,
      kind,
      package: options.package ?? record.app.package,
      root,
      ...(options.anchor ? { anchor: options.anchor } : {}),
      ...(options.dismissible ? { onDismiss: dismiss } : {}),
    });
    record.windows.push(window);
    this.#shell.windowsChanged();
    return close;
  }

  #dialog(record: ActivityRecord, options: DialogOptions): () => void {
    return this.#show(record, 'dialog', (close) => dialogView(options, close), {
      dismissible: options.dismissible ?? true,
      ...(options.onDismiss ? { onDismiss: options.onDismiss } : {}),
    });
  }

  /** Shows a dialog of the system above the app in front. */
  #systemDialog(options: DialogOptions): Window | undefined {
    const record = this.front;
    if (record === undefined) return undefined;
    this.#show(record, 'dialog', (close) => dialogView(options, close), { dismissible: false, package: 'android' });
    return record.windows.at(-1);
  }

  #finish(record: ActivityRecord): void {
    const wasFront = this.front === record;
    this.#tasks.pop(record);
    if (!wasFront) return;
    const next = this.#tasks.front;
    if (next) this.#arrived('close', record);
    else this.home();
  }

  #arrived(kind: Passage, from: ActivityRecord | undefined): void {
    if (from) from.leftMs = this.#core.nowMs;
    if (this.front) this.front.leftMs = undefined;
    this.#shell.passed(kind, from);
    this.front?.resume();
  }

  #create(found: FoundActivity, extras: Readonly<Record<string, string>>, data: string | undefined): ActivityRecord {
    return openActivity({ ...found, extras, data, core: this.#core, shell: this.#shell, actions: this.#actions });
  }

  /** Makes the actions that all activities share. */
  #makeActions(): ActivityActions {
    return {
      timers: this.timers,
      open: (target, extras) => {
        const outcome = this.launch(target, extras);
        const { kind } = outcome;
        // The shell logs the activities that `am` starts.
        if (kind === 'started') this.#logStart(outcome.component);
        if (kind === 'unresolved' || kind === 'no-such-activity' || kind === 'not-exported')
          this.#shell.toast('No app can open this');
      },
      finish: (record) => this.#finish(record),
      isInFront: (record) => this.front === record,
      dialog: (record, options) => this.#dialog(record, options),
      crashed: (packageName, error) => this.crashed(packageName, error),
      tasks: {
        list: () => this.#userTasks(),
        open: (id) => this.#openTask(id),
        close: (id) => this.#closeTask(id),
        closeAll: () => {
          for (const { id } of this.#userTasks()) this.#closeTask(id);
        },
      },
    };
  }

  #logStart(component: string): void {
    this.#system.logcat.write('I', 'ActivityTaskManager', `START u0 {cmp=${component}} from uid 10085`);
  }

  #userTasks(): OpenTask[] {
    const display = this.#core.display.box;
    return this.#tasks.list().flatMap(({ id, package: packageName, records }) => {
      const top = records.at(-1);
      if (!top || packageName === LAUNCHER_PACKAGE) return [];
      return [
        {
          id,
          package: packageName,
          label: top.app.label,
          aspect: display.height / display.width,
          drawPreview: (painter: Painter, width: number, height: number) =>
            paintPreview(painter, top, display, width, height),
        },
      ];
    });
  }

  #openTask(id: number): void {
    const task = this.#tasks.byId(id);
    if (!task) return;
    const from = this.front;
    this.#tasks.bringToFront(task);
    if (from?.component === `${LAUNCHER_PACKAGE}/${RECENTS}`) this.#tasks.pop(from);
    this.#arrived('open', from);
  }

  #closeTask(id: number): void {
    const task = this.#tasks.byId(id);
    if (!task) return;
    this.#tasks.remove(task);
    this.#shell.windowsChanged();
  }
}
