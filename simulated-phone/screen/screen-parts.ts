import { AppRuntime } from './app-runtime.js';
import { Compositor } from './compositor.js';
import { KeyboardControl } from './keyboard-control.js';
import { Layout } from './layout.js';
import { Notifications } from './notifications.js';
import { OutsideChanges } from './outside-changes.js';
import { Overlays } from './overlays.js';
import { PackageIcons } from './package-icons.js';
import type { Passage } from './runtime-shell.js';
import { ScreenCore } from './screen-core.js';
import { ScreenOutput } from './screen-output.js';
import type { ScreenOptions, ScreenSystem } from './screen-system.js';
import { Shade } from './shade.js';
import { SystemInput } from './system-input.js';
import type { ActivityRecord } from './tasks.js';
import type { Window } from './window.js';
import { windowManager } from './window-manager.js';

/** Most apps that one read ends, one after the other. A phone keeps fewer apps open at the same time. */
const MAX_FAILING_APPS = 10;

/** The parts of a screen, put together. */
export class ScreenParts {
  readonly core: ScreenCore;
  readonly apps: AppRuntime;
  readonly overlays: Overlays;
  readonly keyboard: KeyboardControl;
  readonly layout: Layout;
  readonly compositor: Compositor;
  readonly output: ScreenOutput;
  readonly outside: OutsideChanges;
  readonly input: SystemInput;
  readonly shade: Shade;
  readonly notifications: Notifications;

  constructor(system: ScreenSystem, { drawing, apps }: ScreenOptions) {
    const core = new ScreenCore(system, drawing, {
      motions: () => this.fromApps(() => this.compositor.motions()) ?? [],
      secure: () => this.front?.secure === true,
    });
    this.core = core;
    const activeWindow = (): Window | undefined => this.activeWindow;
    const windowsChanged = (): void => {
      this.keyboard.windowsChanged();
      core.note(true);
    };
    const shownChanged = (): void => {
      this.shade.refresh();
      core.note(true);
    };
    const manager = windowManager(core, {
      layout: () => this.layout,
      keyboard: () => this.keyboard,
      apps: () => this.apps,
      shade: () => this.shade,
      front: () => this.front,
    });
    const icons = new PackageIcons(apps, system.packages, {
      changed: () => core.note(false),
      failed: (name, error) =>
        system.log.warn({ err: error, app: name }, 'an app of the phone could not draw its icon'),
    });
    this.notifications = new Notifications(() => system.clock.now(), shownChanged);
    this.overlays = new Overlays(core);
    this.apps = new AppRuntime(core, apps, {
      manager,
      windowsChanged,
      passed: (kind, from) => this.#passed(kind, from),
      toast: (text) => this.overlays.toast(text),
      notify: (message) => void this.notifications.post(message),
      drawIconOf: (name, painter, size) => icons.draw(name, painter, size),
    });
    this.shade = new Shade({
      core,
      manager,
      icons,
      notifications: this.notifications,
      launch: (target, extras) => void this.apps.launch(target, extras),
      changed: windowsChanged,
    });
    this.keyboard = new KeyboardControl(core, activeWindow);
    this.layout = new Layout(core.display, this.keyboard, activeWindow);
    const { keyboard, layout, overlays, shade } = this;
    this.compositor = new Compositor({ core, apps: this.apps, keyboard, overlays, shade });
    const clock = { after: (ms: number, run: () => void) => system.clock.after(ms, () => this.inApp(run)) };
    this.input = new SystemInput({ core, clock, layout, apps: this.apps, keyboard, overlays, shade, activeWindow });
    const fromApps = <T>(read: () => T): T | undefined => this.fromApps(read);
    this.output = new ScreenOutput({ core, layout, compositor: this.compositor, overlays, activeWindow, fromApps });
    this.outside = new OutsideChanges({
      core,
      apps: this.apps,
      onReshape: () => {
        this.input.cancelTouches();
        this.compositor.transition = undefined;
        core.note(true);
      },
      onChange: shownChanged,
    });
  }

  /** Runs code of an app. An error in it ends the app, as on a phone. The caller and the process go on. */
  inApp(run: () => void): void {
    const front = this.front;
    try {
      run();
    } catch (error) {
      this.#crashed(front, error);
    }
  }

  /**
   * Returns what the views on the screen produce: a picture, a dump, motions. An error ends the app in front, and the next app is shown.
   * Undefined when every app fails.
   */
  fromApps<T>(read: () => T): T | undefined {
    for (let left = MAX_FAILING_APPS; left > 0; left--) {
      const front = this.front;
      try {
        return read();
      } catch (error) {
        this.#crashed(front, error);
      }
    }
    return undefined;
  }

  #crashed(front: ActivityRecord | undefined, error: unknown): void {
    this.input.cancelTouches();
    this.apps.crashed(front?.app.package ?? 'android', error);
    // Without this, the transition would draw the failed app once more.
    if (this.compositor.transition?.from === front) this.compositor.transition = undefined;
  }

  get front(): ActivityRecord | undefined {
    return this.compositor.boot ? undefined : this.apps.front;
  }

  get activeWindow(): Window | undefined {
    return this.compositor.boot ? undefined : (this.shade.window ?? this.apps.activeWindow);
  }

  #passed(kind: Passage, from: ActivityRecord | undefined): void {
    this.input.cancelTouches();
    const { nowMs, display } = this.core;
    const durationMs = display.passageMs;
    this.compositor.transition = from && durationMs > 0 ? { kind, from, startMs: nowMs, durationMs } : undefined;
    this.keyboard.focusChanged();
  }
}
