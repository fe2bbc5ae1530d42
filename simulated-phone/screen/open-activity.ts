import { Cancellation } from '../../kit/async/within.js';
import type { App, AppContext, DialogOptions } from '../apps/app.js';
import type { Target } from '../system/target.js';
import type { PhoneNetwork } from '../system/system.js';
import type { AppTimers } from './app-timers.js';
import { Decor } from './decor.js';
import type { RuntimeShell } from './runtime-shell.js';
import type { ScreenCore } from './screen-core.js';
import type { ActivityRecord } from './tasks.js';
import { Window } from './window.js';

/** Actions of the runtime on behalf of an activity. */
export interface ActivityActions {
  readonly timers: AppTimers;
  readonly tasks: AppContext['tasks'];
  open(target: Target, extras: Readonly<Record<string, string>> | undefined): void;
  finish(record: ActivityRecord): void;
  isInFront(record: ActivityRecord): boolean;
  dialog(record: ActivityRecord, options: DialogOptions): () => void;
  /** Is called when code of an app failed. */
  crashed(packageName: string, error: unknown): void;
}

export interface OpenActivityOptions {
  app: App;
  /** Key of the app's activities. */
  name: string;
  extras: Readonly<Record<string, string>>;
  data: string | undefined;
  core: ScreenCore;
  shell: RuntimeShell;
  actions: ActivityActions;
}

/** Creates an activity with its window and its context. It is not on the screen yet. */
export function openActivity(options: OpenActivityOptions): ActivityRecord {
  const { app, name, shell, actions } = options;
  const start = app.activities[name];
  if (!start) throw new Error(`${app.package} has no activity ${name}`);
  const life = new Cancellation();
  let isOpen = false;
  const made: { record?: ActivityRecord } = {};
  const loading: ActivityRecord['loading'] = new Set();
  const own = (): ActivityRecord => {
    if (!made.record) throw new Error(`${app.package}/${name} acted on the screen before it was on it`);
    return made.record;
  };
  const activity = start(contextOf(options, life.signal, own, loading));
  const root = new Decor(activity);
  const window = new Window({ manager: shell.manager, kind: 'activity', package: app.package, root });
  made.record = {
    app,
    component: `${app.package}/${name}`,
    name,
    extras: options.extras,
    data: options.data,
    activity,
    loading,
    windows: [window],
    secure: false,
    leftMs: undefined,
    resume: () => {
      if (!isOpen) activity.onOpen?.();
      isOpen = true;
      activity.onResume?.();
    },
    close: () => {
      life.abort();
      try {
        activity.onDestroy?.();
      } catch (error) {
        actions.crashed(app.package, error);
      }
    },
  };
  return made.record;
}

function contextOf(
  options: OpenActivityOptions,
  signal: AbortSignal,
  own: () => ActivityRecord,
  loading: ActivityRecord['loading'],
): AppContext {
  const { app, extras, data, core, shell, actions } = options;
  const { system } = core;
  const { identity, clock, random, files, packages, settings, conditions } = system;
  const crashed = (error: unknown): void => actions.crashed(app.package, error);
  return {
    package: app.package,
    extras,
    data,
    identity,
    clock,
    random,
    files,
    packages,
    settings,
    conditions,
    signal,
    zoneTime: core.drawing.zoneTime,
    tasks: actions.tasks,
    get network(): PhoneNetwork {
      return system.network;
    },
    get timeZone() {
      return core.timeZone;
    },
    get animatorScale() {
      return core.display.animationScale('animator_duration_scale');
    },
    open: (target, more) => actions.open(target, more),
    finish: () => actions.finish(own()),
    dialog: (dialog) => actions.dialog(own(), dialog),
    toast: (text) => shell.toast(text),
    notify: (message) => shell.notify({ package: app.package, ...message }),
    get inFront() {
      return actions.isInFront(own());
    },
    focus: (view) => own().windows.at(-1)?.focus(view),
    setSecure: (secure) => {
      const record = own();
      if (record.secure === secure) return;
      record.secure = secure;
      shell.windowsChanged();
    },
    later: (ms, run, { pending = false } = {}) => {
      const guarded = (): void => {
        try {
          run();
        } catch (error) {
          crashed(error);
        }
      };
      return actions.timers.later(ms, guarded, signal, pending);
    },
    run: (work, done, failed) => {
      const failing = (error: unknown): void => {
        if (signal.aborted) return;
        if (failed) failed(error);
        else crashed(error);
      };
      const ended = work
        .then((value) => {
          if (!signal.aborted) done(value);
        }, failing)
        .catch(crashed)
        .finally(() => loading.delete(ended));
      loading.add(ended);
    },
    drawIconOf: (packageName, painter, size) => shell.drawIconOf(packageName, painter, size),
  };
}
