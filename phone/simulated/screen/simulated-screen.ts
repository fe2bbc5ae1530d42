import type { Target } from '../apps/app.js';
import type { DumpOutcome, Frame, LaunchOutcome, Screen, TouchPhase } from '../system.js';
import { AppRuntime } from './app-runtime.js';
import type { Passage, RuntimeShell } from './runtime-shell.js';
import type { BootStage } from './boot-picture.js';
import { ChangeTracker, type ChangeSource } from './change-tracker.js';
import { Compositor } from './compositor.js';
import { Display, type Rotation } from './display.js';
import { KeyboardControl, type KeyboardHost } from './keyboard-control.js';
import { Layout } from './layout.js';
import { Notifications } from './notifications.js';
import { OutsideChanges } from './outside-changes.js';
import { Overlays } from './overlays.js';
import { PackageIcons } from './package-icons.js';
import { paintPreview } from './picture.js';
import type { SavedScreen } from './saved-screen.js';
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

/** Makes a phone's screen, dark until `showBoot` or `home` is called. */
export function createScreen(system: ScreenSystem, options: ScreenOptions): SimulatedScreen {
  return new SimulatedScreen(system, options);
}

/** The display of a simulated phone: windows and apps on it, fingers and keys into it, pictures and dumps out of it. */
export class SimulatedScreen implements Screen {
  readonly #system: ScreenSystem;
  readonly #display: Display;
  readonly #changes: ChangeTracker;
  readonly #apps: AppRuntime;
  readonly #icons: PackageIcons;
  readonly #overlays: Overlays;
  readonly #keyboard: KeyboardControl;
  readonly #layout: Layout;
  readonly #compositor: Compositor;
  readonly #output: ScreenOutput;
  readonly #outside: OutsideChanges;
  readonly #input: SystemInput;
  readonly #manager: WindowManager;
  readonly #shade: Shade;
  readonly notifications: Notifications;
  #awake = false;
  #closed = false;

  constructor(system: ScreenSystem, { drawing, apps }: ScreenOptions) {
    this.#system = system;
    this.#display = new Display(system.identity.model.screen, system.settings);
    this.#changes = new ChangeTracker(system.clock, this.#changeSource());
    this.#manager = windowManager({
      drawing,
      display: this.#display,
      layout: () => this.#layout,
      keyboard: () => this.#keyboard,
      apps: () => this.#apps,
      shade: () => this.#shade,
      nowMs: () => this.#nowMs,
      front: () => this.#front,
      changed: (eventful) => this.#note(eventful),
    });
    this.notifications = new Notifications(
      () => system.clock.now(),
      () => {
        this.#shade.refresh();
        this.#note(true);
      },
    );
    this.#apps = new AppRuntime(system, { drawing, apps }, this.#shell());
    this.#icons = new PackageIcons(
      (name) => this.#apps.builtIn(name),
      (name) => system.packages.get(name),
      () => this.#note(false),
    );
    this.#shade = new Shade({
      manager: this.#manager,
      notifications: this.notifications,
      settings: system.settings,
      zoneTime: drawing.zoneTime,
      timeZone: () => this.#compositor.timeZone,
      now: () => system.clock.now(),
      windowScale: () => this.#display.animationScale('window_animation_scale'),
      labelOf: (name) => this.#apps.builtIn(name)?.label ?? system.packages.get(name)?.label ?? SHELL_LABEL,
      drawIconOf: (name, painter, size) => this.#icons.draw(name, painter, size),
      launch: (target, extras) => void this.#apps.launch(target, extras),
      changed: () => this.#windowsChanged(),
    });
    this.#overlays = new Overlays(system.clock, system.settings, () => this.#note(false));
    this.#keyboard = new KeyboardControl(this.#keyboardHost());
    this.#layout = new Layout({
      display: this.#display,
      keyboard: this.#keyboard,
      activeWindow: () => this.#activeWindow,
    });
    this.#compositor = new Compositor({
      system,
      drawing,
      display: this.#display,
      apps: this.#apps,
      keyboard: this.#keyboard,
      overlays: this.#overlays,
      shade: this.#shade,
    });
    this.#input = new SystemInput({
      clock: { after: (ms, run) => system.clock.after(ms, () => this.#inApp(run)) },
      nowMs: () => this.#nowMs,
      drawing,
      display: this.#display,
      layout: this.#layout,
      apps: this.#apps,
      keyboard: this.#keyboard,
      overlays: this.#overlays,
      shade: this.#shade,
      awake: () => this.#awake,
      setAwake: (awake) => this.#setAwake(awake),
      activeWindow: () => this.#activeWindow,
    });
    this.#output = new ScreenOutput({
      clock: system.clock,
      drawing,
      display: this.#display,
      layout: this.#layout,
      compositor: this.#compositor,
      changes: this.#changes,
      black: () => this.#black,
      activeWindow: () => this.#activeWindow,
      overlays: this.#overlays,
    });
    this.#outside = new OutsideChanges({
      system,
      display: this.#display,
      apps: this.#apps,
      onReshape: () => {
        this.#input.cancelTouches();
        this.#compositor.transition = undefined;
        this.#note(true);
      },
      onChange: () => {
        this.#shade.refresh();
        this.#note(true);
      },
    });
  }

  get width(): number {
    return this.#display.width;
  }

  get height(): number {
    return this.#display.height;
  }

  get density(): number {
    return this.#display.density;
  }

  get rotation(): Rotation {
    return this.#display.rotation;
  }

  get awake(): boolean {
    return this.#awake;
  }

  get revision(): number {
    return this.#changes.revision;
  }

  get foreground(): { package: string; activity: string } {
    const front = this.#front;
    return front ? { package: front.app.package, activity: front.name } : { package: 'android', activity: '.Boot' };
  }

  get keyboardShown(): boolean {
    return this.#keyboard.target !== undefined;
  }

  get focusedField(): { package: string; text: string; password: boolean } | undefined {
    const field = this.#keyboard.field;
    const front = this.#front;
    return field && front ? { package: front.app.package, text: field.text, password: field.password } : undefined;
  }

  get clipboard(): string {
    return this.#input.clipboard;
  }

  set clipboard(text: string) {
    this.#input.clipboard = text;
  }

  get shadeOpen(): boolean {
    return this.#shade.window !== undefined;
  }

  set shadeOpen(open: boolean) {
    if (!this.#usable) return;
    if (open) this.#shade.open();
    else this.#shade.close();
  }

  get secure(): boolean {
    return this.#front?.secure ?? false;
  }

  get settlesAtMs(): number | undefined {
    const pending = this.#awake ? this.#apps.timers.pendingEndMs : undefined;
    const moving = this.#changes.motionEndMs;
    if (pending === undefined || moving === undefined) return pending ?? moving;
    return Math.max(pending, moving);
  }

  /** Shows how far the phone is on its way up. */
  showBoot(stage: BootStage): void {
    this.#awake = true;
    this.#compositor.boot = { stage, startMs: this.#compositor.boot?.startMs ?? this.#nowMs };
    this.#note(false);
  }

  /** Ends the boot picture and opens the launcher. */
  home(): void {
    this.#compositor.boot = undefined;
    this.#awake = true;
    this.#apps.home();
    this.#note(true);
  }

  /** Returns the open apps, for a snapshot. */
  save(): SavedScreen {
    return this.#apps.save();
  }

  /** Opens the apps of a snapshot, once the launcher is up. */
  resume(saved: SavedScreen): void {
    this.#inApp(() => this.#apps.reopen(saved));
  }

  /** Closes all apps and goes dark, as when the phone is switched off. */
  dispose(): void {
    this.#closed = true;
    this.#input.cancelTouches();
    this.#apps.closeAll();
    this.#overlays.close();
    this.#changes.close();
    this.#awake = false;
    this.#compositor.transition = undefined;
  }

  setSizeOverride(size: { width: number; height: number } | undefined): void {
    this.#display.sizeOverride = size;
    this.#outside.reshape();
  }

  setDensityOverride(density: number | undefined): void {
    this.#display.densityOverride = density;
    this.#outside.reshape();
  }

  capture({ scale = 1 }: { scale?: number } = {}): Frame {
    return this.#output.capture(scale);
  }

  captureJpeg(size: { width: number; height: number; quality: number }): Promise<Buffer> {
    return this.#output.captureJpeg(size);
  }

  dump(options: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome> {
    return this.#output.dump(options);
  }

  touch({ phase, x, y, pointer }: { phase: TouchPhase; x: number; y: number; pointer: number }): void {
    if (!this.#usable) return;
    const { scale } = this.#display;
    this.#inApp(() => this.#input.touch(phase, x / scale, y / scale, pointer));
  }

  key({ code, phase }: { code: number; phase: 'down' | 'up' }): void {
    if (this.#compositor.boot === undefined && !this.#closed) this.#inApp(() => this.#input.key(code, phase));
  }

  commitText(text: string): boolean {
    const field = this.#keyboard.field;
    this.#inApp(() => field?.type(text));
    return field !== undefined;
  }

  clearText(): boolean {
    const field = this.#keyboard.field;
    this.#inApp(() => field?.edit((text) => text.replaceAll('')));
    return field !== undefined;
  }

  launch(target: Target & { extras?: Readonly<Record<string, string>> }): LaunchOutcome {
    return this.#apps.launch(target, target.extras);
  }

  forceStop(packageName: string): void {
    this.#apps.forceStop(packageName);
  }

  activities(): { component: string; launcher: boolean }[] {
    return this.#apps.activities();
  }

  onChange(listener: () => void): () => void {
    return this.#changes.onChange(listener);
  }

  /** Runs code of an app. An error in it ends the app, as on a phone, and neither the caller nor the process. */
  #inApp(run: () => void): void {
    const front = this.#front;
    try {
      run();
    } catch (error) {
      const name = front?.app.package ?? 'android';
      this.#system.log.error({ err: error, app: name }, 'an app of the phone failed');
      const reason = error instanceof Error ? error.message : String(error);
      this.#system.logcat.write('E', 'AndroidRuntime', `FATAL EXCEPTION: main\nProcess: ${name}\n${reason}`);
      this.#input.cancelTouches();
      this.#apps.forceStop(name);
    }
  }

  get #nowMs(): number {
    return this.#system.clock.monotonicMs();
  }

  get #usable(): boolean {
    return this.#awake && this.#compositor.boot === undefined && !this.#closed;
  }

  get #front(): ActivityRecord | undefined {
    return this.#compositor.boot ? undefined : this.#apps.front;
  }

  get #activeWindow(): Window | undefined {
    return this.#compositor.boot ? undefined : (this.#shade.window ?? this.#apps.activeWindow);
  }

  #windowsChanged(): void {
    this.#keyboard.windowsChanged();
    this.#note(true);
  }

  #note(eventful: boolean): void {
    if (!this.#closed) this.#changes.note(eventful);
  }

  get #black(): boolean {
    return !this.#awake || this.secure || this.#closed;
  }

  #keyboardHost(): KeyboardHost {
    return {
      nowMs: () => this.#nowMs,
      awake: () => this.#awake,
      display: () => this.#display.box,
      activeWindow: () => this.#activeWindow,
      changed: (eventful) => this.#note(eventful),
    };
  }

  #changeSource(): ChangeSource {
    return {
      black: () => this.#black,
      motions: () => (this.#awake && !this.#closed ? this.#compositor.motions() : []),
    };
  }

  #shell(): RuntimeShell {
    return {
      manager: this.#manager,
      timeZone: () => this.#compositor.timeZone,
      animatorScale: () => this.#display.animationScale('animator_duration_scale'),
      passageMs: () => this.#passageMs,
      changed: () => this.#windowsChanged(),
      passed: (kind, from) => this.#passed(kind, from),
      toast: (text) => this.#overlays.toast(text),
      notify: (message) => void this.notifications.post(message),
      drawIconOf: (name, painter, size) => this.#icons.draw(name, painter, size),
      drawPreview: (record, painter, width, height) => paintPreview(painter, record, this.#display.box, width, height),
    };
  }

  get #passageMs(): number {
    return PASSAGE_MS * this.#display.animationScale('transition_animation_scale');
  }

  #passed(kind: Passage, from: ActivityRecord | undefined): void {
    this.#input.cancelTouches();
    const durationMs = this.#passageMs;
    this.#compositor.transition = from && durationMs > 0 ? { kind, from, startMs: this.#nowMs, durationMs } : undefined;
    this.#keyboard.focusChanged();
  }

  #setAwake(awake: boolean): void {
    if (awake === this.#awake) return;
    this.#input.cancelTouches();
    this.#awake = awake;
    this.#note(true);
  }
}
