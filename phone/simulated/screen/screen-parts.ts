import { AppRuntime } from './app-runtime.js';
import { ChangeTracker, type ChangeSource } from './change-tracker.js';
import { Compositor } from './compositor.js';
import { Display } from './display.js';
import { KeyboardControl, type KeyboardHost } from './keyboard-control.js';
import { Layout } from './layout.js';
import { Notifications } from './notifications.js';
import { OutsideChanges } from './outside-changes.js';
import { Overlays } from './overlays.js';
import { PackageIcons } from './package-icons.js';
import { paintPreview } from './picture.js';
import type { Passage, RuntimeShell } from './runtime-shell.js';
import { ScreenOutput } from './screen-output.js';
import type { ScreenOptions, ScreenSystem } from './screen-system.js';
import { Shade } from './shade/shade.js';
import { SystemInput } from './system-input.js';
import type { ActivityRecord } from './tasks.js';
import type { Window, WindowManager } from './window.js';
import { windowManager } from './window-manager.js';

/** How long one activity takes to come over another, at scale 1. */
const PASSAGE_MS = 250;

/** Of notifications that `cmd notification` posts. */
const SHELL_LABEL = 'Shell';

/** The parts of a screen, put together: each is notified of what it must know of the others. */
export class ScreenParts {
  readonly display: Display;
  readonly changes: ChangeTracker;
  readonly apps: AppRuntime;
  readonly icons: PackageIcons;
  readonly overlays: Overlays;
  readonly keyboard: KeyboardControl;
  readonly layout: Layout;
  readonly compositor: Compositor;
  readonly output: ScreenOutput;
  readonly outside: OutsideChanges;
  readonly input: SystemInput;
  readonly shade: Shade;
  readonly notifications: Notifications;
  readonly #system: ScreenSystem;
  readonly #manager: WindowManager;
  /** Whether the display is lit. */
  awake = false;
  /** Whether the phone was switched off. */
  closed = false;

  constructor(system: ScreenSystem, { drawing, apps }: ScreenOptions) {
    this.#system = system;
    this.display = new Display(system.identity.model.screen, system.settings);
    this.changes = new ChangeTracker(system.clock, this.#changeSource());
    this.#manager = windowManager({
      drawing,
      display: this.display,
      layout: () => this.layout,
      keyboard: () => this.keyboard,
      apps: () => this.apps,
      shade: () => this.shade,
      nowMs: () => this.nowMs,
      front: () => this.front,
      changed: (eventful) => this.note(eventful),
    });
    this.notifications = new Notifications(
      () => system.clock.now(),
      () => {
        this.shade.refresh();
        this.note(true);
      },
    );
    this.apps = new AppRuntime(system, { drawing, apps }, this.#shell());
    this.icons = new PackageIcons(
      (name) => this.apps.builtIn(name),
      (name) => system.packages.get(name),
      () => this.note(false),
    );
    this.shade = new Shade({
      manager: this.#manager,
      notifications: this.notifications,
      settings: system.settings,
      zoneTime: drawing.zoneTime,
      timeZone: () => this.compositor.timeZone,
      now: () => system.clock.now(),
      windowScale: () => this.display.animationScale('window_animation_scale'),
      labelOf: (name) => this.apps.builtIn(name)?.label ?? system.packages.get(name)?.label ?? SHELL_LABEL,
      drawIconOf: (name, painter, size) => this.icons.draw(name, painter, size),
      launch: (target, extras) => void this.apps.launch(target, extras),
      changed: () => this.#windowsChanged(),
    });
    this.overlays = new Overlays(system.clock, system.settings, () => this.note(false));
    this.keyboard = new KeyboardControl(this.#keyboardHost());
    this.layout = new Layout({
      display: this.display,
      keyboard: this.keyboard,
      activeWindow: () => this.activeWindow,
    });
    this.compositor = new Compositor({
      system,
      drawing,
      display: this.display,
      apps: this.apps,
      keyboard: this.keyboard,
      overlays: this.overlays,
      shade: this.shade,
    });
    this.input = new SystemInput({
      clock: { after: (ms, run) => system.clock.after(ms, () => this.inApp(run)) },
      nowMs: () => this.nowMs,
      drawing,
      display: this.display,
      layout: this.layout,
      apps: this.apps,
      keyboard: this.keyboard,
      overlays: this.overlays,
      shade: this.shade,
      awake: () => this.awake,
      setAwake: (awake) => this.#setAwake(awake),
      activeWindow: () => this.activeWindow,
    });
    this.output = new ScreenOutput({
      clock: system.clock,
      drawing,
      display: this.display,
      layout: this.layout,
      compositor: this.compositor,
      changes: this.changes,
      black: () => this.black,
      activeWindow: () => this.activeWindow,
      overlays: this.overlays,
    });
    this.outside = new OutsideChanges({
      system,
      display: this.display,
      apps: this.apps,
      onReshape: () => {
        this.input.cancelTouches();
        this.compositor.transition = undefined;
        this.note(true);
      },
      onChange: () => {
        this.shade.refresh();
        this.note(true);
      },
    });
  }

  /** Runs code of an app. An error in it ends the app, as on a phone, and neither the caller nor the process. */
  inApp(run: () => void): void {
    const front = this.front;
    try {
      run();
    } catch (error) {
      const name = front?.app.package ?? 'android';
      this.#system.log.error({ err: error, app: name }, 'an app of the phone failed');
      const reason = error instanceof Error ? error.message : String(error);
      this.#system.logcat.write('E', 'AndroidRuntime', `FATAL EXCEPTION: main\nProcess: ${name}\n${reason}`);
      this.input.cancelTouches();
      this.apps.forceStop(name);
    }
  }

  get nowMs(): number {
    return this.#system.clock.monotonicMs();
  }

  get front(): ActivityRecord | undefined {
    return this.compositor.boot ? undefined : this.apps.front;
  }

  get activeWindow(): Window | undefined {
    return this.compositor.boot ? undefined : (this.shade.window ?? this.apps.activeWindow);
  }

  #windowsChanged(): void {
    this.keyboard.windowsChanged();
    this.note(true);
  }

  note(eventful: boolean): void {
    if (!this.closed) this.changes.note(eventful);
  }

  get black(): boolean {
    return !this.awake || this.front?.secure === true || this.closed;
  }

  #keyboardHost(): KeyboardHost {
    return {
      nowMs: () => this.nowMs,
      awake: () => this.awake,
      display: () => this.display.box,
      activeWindow: () => this.activeWindow,
      changed: (eventful) => this.note(eventful),
    };
  }

  #changeSource(): ChangeSource {
    return {
      black: () => this.black,
      motions: () => (this.awake && !this.closed ? this.compositor.motions() : []),
    };
  }

  #shell(): RuntimeShell {
    return {
      manager: this.#manager,
      timeZone: () => this.compositor.timeZone,
      animatorScale: () => this.display.animationScale('animator_duration_scale'),
      passageMs: () => this.#passageMs,
      changed: () => this.#windowsChanged(),
      passed: (kind, from) => this.#passed(kind, from),
      toast: (text) => this.overlays.toast(text),
      notify: (message) => void this.notifications.post(message),
      drawIconOf: (name, painter, size) => this.icons.draw(name, painter, size),
      drawPreview: (record, painter, width, height) => paintPreview(painter, record, this.display.box, width, height),
    };
  }

  get #passageMs(): number {
    return PASSAGE_MS * this.display.animationScale('transition_animation_scale');
  }

  #passed(kind: Passage, from: ActivityRecord | undefined): void {
    this.input.cancelTouches();
    const durationMs = this.#passageMs;
    this.compositor.transition = from && durationMs > 0 ? { kind, from, startMs: this.nowMs, durationMs } : undefined;
    this.keyboard.focusChanged();
  }

  #setAwake(awake: boolean): void {
    if (awake === this.awake) return;
    this.input.cancelTouches();
    this.awake = awake;
    if (!awake) this.shade.close();
    this.note(true);
  }
}
