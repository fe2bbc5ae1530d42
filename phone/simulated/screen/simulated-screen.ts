import type { Target } from '../apps/app.js';
import type { DumpOutcome, Frame, LaunchOutcome, Screen, TouchPhase } from '../system.js';
import type { Drawing } from '../ui/drawing.js';
import { dumpXml } from '../ui/dump-xml.js';
import { EditField } from '../ui/edit-field.js';
import { contains, type Rect } from '../ui/geometry.js';
import { ticking, timed, type Motion } from '../ui/motion.js';
import { Painter } from '../ui/painter.js';
import type { View } from '../ui/view.js';
import { AppRuntime, LAUNCHER_PACKAGE, type Passage, type RuntimeShell } from './app-runtime.js';
import { BOOT_STEP_MS, paintBoot, type BootStage } from './boot-picture.js';
import { ChangeTracker, type ChangeSource } from './change-tracker.js';
import { Display, type Rotation } from './display.js';
import { KeyInput, type KeyScene } from './key-input.js';
import { OnScreenKeyboard } from './on-screen-keyboard.js';
import { Overlays } from './overlays.js';
import { PackageIcons } from './package-icons.js';
import { paintPicture, paintPreview, type PictureScene, type Transition } from './picture.js';
import type { ScreenOptions, ScreenSystem } from './screen-system.js';
import { NAVIGATION_HEIGHT, navigationButtonAt, STATUS_HEIGHT, type NavigationButton } from './system-bars.js';
import type { ActivityRecord } from './tasks.js';
import { TouchInput, type TouchRegion, type TouchScene } from './touch-input.js';
import { IDLE_LIMIT_MS, QUIET_MS, waitForIdle } from './wait-for-idle.js';
import type { Window, WindowManager } from './window.js';

/** Lengths of the phone's own movements at scale 1. */
const PASSAGE_MS = 250;
const DIALOG_MS = 150;
const KEYBOARD_MS = 180;
const MINUTE_MS = 60_000;

/** Makes a phone's screen, dark until `showBoot` or `home` is called. */
export function createScreen(system: ScreenSystem, options: ScreenOptions): SimulatedScreen {
  return new SimulatedScreen(system, options);
}

/** The display of a simulated phone: windows and apps on it, fingers and keys into it, pictures and dumps out of it. */
export class SimulatedScreen implements Screen {
  /** What COPY keeps and PASTE types. */
  clipboard = '';
  readonly #system: ScreenSystem;
  readonly #drawing: Drawing;
  readonly #display: Display;
  readonly #changes: ChangeTracker;
  readonly #apps: AppRuntime;
  readonly #icons: PackageIcons;
  readonly #overlays: Overlays;
  readonly #keyboard = new OnScreenKeyboard();
  readonly #touches: TouchInput;
  readonly #keys: KeyInput;
  #awake = false;
  #boot: { stage: BootStage; startMs: number } | undefined;
  #transition: Transition | undefined;
  #keyboardField: EditField | undefined;
  #keyboardStartMs = -Infinity;
  #shape: string;
  #closed = false;

  constructor(system: ScreenSystem, { drawing, apps }: ScreenOptions) {
    this.#system = system;
    this.#drawing = drawing;
    this.#display = new Display(system.identity.model.screen, system.settings);
    this.#changes = new ChangeTracker(system.clock, this.#changeSource());
    this.#apps = new AppRuntime(system, { drawing, apps }, this.#shell());
    this.#icons = new PackageIcons(
      (name) => this.#apps.builtIn(name),
      (name) => system.packages.get(name),
      () => this.#note(false),
    );
    this.#overlays = new Overlays(system.clock, system.settings, () => this.#note(false));
    this.#touches = new TouchInput(system.clock, this.#touchScene());
    this.#keys = new KeyInput(this.#keyScene());
    this.#shape = this.#shapeNow();
    system.settings.onChange((namespace, key) => this.#settingChanged(namespace, key));
    system.packages.onChange(() => this.#packagesChanged());
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
    return this.#fieldWithKeyboard !== undefined;
  }

  get focusedField(): { package: string; text: string; password: boolean } | undefined {
    const field = this.#field;
    const front = this.#front;
    return field && front ? { package: front.app.package, text: field.text, password: field.password } : undefined;
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
    this.#boot = { stage, startMs: this.#boot?.startMs ?? this.#nowMs };
    this.#note(false);
  }

  /** Ends the boot picture and opens the launcher. */
  home(): void {
    this.#boot = undefined;
    this.#awake = true;
    this.#apps.home();
    this.#note(true);
  }

  /** Closes all apps and goes dark, as when the phone is switched off. */
  dispose(): void {
    this.#closed = true;
    this.#touches.cancelAll();
    this.#apps.closeAll();
    this.#overlays.close();
    this.#changes.close();
    this.#awake = false;
    this.#transition = undefined;
    this.#keyboardField = undefined;
  }

  setSizeOverride(size: { width: number; height: number } | undefined): void {
    this.#display.sizeOverride = size;
    this.#reshape();
  }

  setDensityOverride(density: number | undefined): void {
    this.#display.densityOverride = density;
    this.#reshape();
  }

  capture({ scale = 1 }: { scale?: number } = {}): Frame {
    const width = Math.max(1, Math.round(this.width * scale));
    const height = Math.max(1, Math.round(this.height * scale));
    const { revision } = this.#changes;
    const { sheet, release } = this.#drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      return { width, height, data: sheet.canvas.data(), revision };
    } finally {
      release();
    }
  }

  async captureJpeg({ width, height, quality }: { width: number; height: number; quality: number }): Promise<Buffer> {
    const { sheet, release } = this.#drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      return await sheet.canvas.encode('jpeg', quality);
    } finally {
      release();
    }
  }

  async dump({ compressed, signal }: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome> {
    // The compressed dump is what is asked for when the plain one failed, so it waits no longer than a quiet screen needs.
    const limitMs = compressed ? QUIET_MS : IDLE_LIMIT_MS;
    const idle = await waitForIdle(this.#system.clock, () => this.#changes.lastEventMs, limitMs, signal);
    if (!idle && !compressed) return { kind: 'not-idle' };
    const window = this.#activeWindow;
    if (!window) return { kind: 'null-root' };
    window.bringUp();
    const xml = dumpXml({
      root: window.placedRoot,
      clip: window.clip,
      package: window.package,
      rotation: this.rotation,
      scale: this.#display.scale,
      nowMs: this.#nowMs,
      compressed,
    });
    return { kind: 'xml', xml };
  }

  touch({ phase, x, y, pointer }: { phase: TouchPhase; x: number; y: number; pointer: number }): void {
    if (!this.#usable) return;
    const { scale } = this.#display;
    this.#touches.handle(phase, x / scale, y / scale, pointer);
  }

  key({ code, phase }: { code: number; phase: 'down' | 'up' }): void {
    if (this.#boot === undefined && !this.#closed) this.#keys.handle(code, phase);
  }

  commitText(text: string): boolean {
    const field = this.#field;
    field?.type(text);
    return field !== undefined;
  }

  clearText(): boolean {
    const field = this.#field;
    field?.edit((text) => text.replaceAll(''));
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

  get #nowMs(): number {
    return this.#system.clock.monotonicMs();
  }

  get #usable(): boolean {
    return this.#awake && this.#boot === undefined && !this.#closed;
  }

  get #front(): ActivityRecord | undefined {
    return this.#boot ? undefined : this.#apps.front;
  }

  get #activeWindow(): Window | undefined {
    return this.#boot ? undefined : this.#apps.activeWindow;
  }

  get #field(): EditField | undefined {
    const focused = this.#activeWindow?.focused;
    return focused instanceof EditField && focused.editable ? focused : undefined;
  }

  get #fieldWithKeyboard(): EditField | undefined {
    return this.#awake && this.#activeWindow?.keyboardHidden === false ? this.#field : undefined;
  }

  get #timeZone(): string {
    return this.#system.properties.get('persist.sys.timezone') || this.#system.network.exit.timezone;
  }

  get #displayBox(): Rect {
    return { left: 0, top: 0, width: this.#display.widthDp, height: this.#display.heightDp };
  }

  get #keyboardArea(): Rect | undefined {
    if (!this.#fieldWithKeyboard) return undefined;
    const { width, height } = this.#displayBox;
    const tall = OnScreenKeyboard.heightFor(height);
    return { left: 0, top: height - NAVIGATION_HEIGHT - tall, width, height: tall };
  }

  /** Where dialogs and messages may be. */
  get #room(): Rect {
    const { width, height } = this.#displayBox;
    const bottom = this.#keyboardArea?.top ?? height - NAVIGATION_HEIGHT;
    return { left: 0, top: STATUS_HEIGHT, width, height: bottom - STATUS_HEIGHT };
  }

  #note(eventful: boolean): void {
    if (!this.#closed) this.#changes.note(eventful);
  }

  #draw(context: Painter['context'], width: number, height: number): void {
    const fit = Math.min(width / this.width, height / this.height);
    const painter = new Painter({
      context,
      drawing: this.#drawing,
      scale: this.#display.scale * fit,
      fontScale: this.#display.fontScale,
      nowMs: this.#nowMs,
    });
    context.fillStyle = '#000000';
    context.fillRect(0, 0, width, height);
    const box = this.#displayBox;
    if (this.#black) return;
    if (this.#boot) {
      const step = ticking(this.#boot.startMs, BOOT_STEP_MS).phase(this.#nowMs);
      paintBoot(painter, box.width, box.height, this.#boot.stage, step);
      return;
    }
    const scene = this.#scene();
    if (scene) paintPicture(painter, scene);
  }

  get #black(): boolean {
    return !this.#awake || this.secure || this.#closed;
  }

  #scene(): PictureScene | undefined {
    const { front } = this.#apps;
    if (!front) return undefined;
    if (this.#transition && this.#nowMs >= this.#transition.startMs + this.#transition.durationMs) {
      this.#transition = undefined;
    }
    const area = this.#keyboardArea;
    const wifi = this.#system.settings.get('global', 'wifi_on') !== '0';
    return {
      display: this.#displayBox,
      front,
      transition: this.#transition,
      status: {
        time: this.#drawing.zoneTime.hours(this.#system.clock.now(), this.#timeZone),
        wifi: wifi && this.#system.settings.get('global', 'airplane_mode_on') !== '1',
        battery: 100,
      },
      keyboard: area && {
        keys: this.#keyboard,
        area,
        startMs: this.#keyboardStartMs,
        durationMs: KEYBOARD_MS * this.#display.animationScale('window_animation_scale'),
      },
      dialogMs: DIALOG_MS * this.#display.animationScale('window_animation_scale'),
      overlays: this.#overlays,
      room: this.#room,
    };
  }

  #changeSource(): ChangeSource {
    const black = (): boolean => this.#black;
    return {
      get black() {
        return black();
      },
      motions: () => this.#motions(),
    };
  }

  #motions(): Motion[] {
    if (this.#boot) return [ticking(this.#boot.startMs, BOOT_STEP_MS)];
    const { front } = this.#apps;
    if (!front) return [];
    const wallMs = this.#system.clock.now();
    const all: Motion[] = [ticking(this.#nowMs - (wallMs % MINUTE_MS), MINUTE_MS)];
    if (this.#transition) all.push(timed(this.#transition.startMs, this.#transition.durationMs));
    const windowScale = this.#display.animationScale('window_animation_scale');
    if (this.#fieldWithKeyboard) all.push(timed(this.#keyboardStartMs, KEYBOARD_MS * windowScale));
    for (const window of front.windows) {
      window.bringUp();
      window.motions(all, window.kind === 'activity' ? 0 : DIALOG_MS * windowScale);
    }
    return all;
  }

  #manager(): WindowManager {
    const display = (): Rect => this.#displayBox;
    const nowMs = (): number => this.#nowMs;
    const fontScale = (): number => this.#display.fontScale;
    return {
      get nowMs() {
        return nowMs();
      },
      get display() {
        return display();
      },
      get fontScale() {
        return fontScale();
      },
      drawing: this.#drawing,
      roomFor: (window) => (window.kind === 'activity' ? this.#displayBox : this.#room),
      coverOf: (window) => this.#coverOf(window),
      windowChanged: (window, eventful) => {
        if (this.#front?.windows.includes(window) === true) this.#note(eventful);
      },
      focusChanged: () => this.#focusChanged(),
      openPopup: (owner, content, anchor) => this.#apps.openPopup(owner, content, anchor),
    };
  }

  #coverOf(window: Window): { top: number; bottom: number } {
    const keyboard = window === this.#activeWindow ? this.#keyboardArea : undefined;
    const { height } = this.#displayBox;
    const bars = this.#edgeToEdge(window) ? { top: 0, bottom: 0 } : { top: STATUS_HEIGHT, bottom: NAVIGATION_HEIGHT };
    return { top: bars.top, bottom: keyboard ? height - keyboard.top : bars.bottom };
  }

  #edgeToEdge(window: Window): boolean {
    return 'edgeToEdge' in window.root && window.root.edgeToEdge === true;
  }

  /** The keyboard slides in for a field that newly has the focus. */
  #focusChanged(): void {
    const field = this.#fieldWithKeyboard;
    if (field && field !== this.#keyboardField) {
      if (!this.#keyboardField) this.#keyboardStartMs = this.#nowMs;
      this.#keyboard.startOn(field);
      field.restartBlink();
    }
    this.#keyboardField = field;
    this.#note(true);
  }

  #shell(): RuntimeShell {
    const timeZone = (): string => this.#timeZone;
    const animatorScale = (): number => this.#display.animationScale('animator_duration_scale');
    const passageMs = (): number => PASSAGE_MS * this.#display.animationScale('transition_animation_scale');
    return {
      manager: this.#manager(),
      get timeZone() {
        return timeZone();
      },
      get animatorScale() {
        return animatorScale();
      },
      get passageMs() {
        return passageMs();
      },
      changed: (eventful) => {
        this.#keyboardField = this.#fieldWithKeyboard;
        this.#note(eventful);
      },
      passed: (kind, from) => this.#passed(kind, from),
      toast: (text) => this.#overlays.toast(text),
      drawIconOf: (name, painter, size) => this.#icons.draw(name, painter, size),
      drawPreview: (record, painter, width, height) => paintPreview(painter, record, this.#displayBox, width, height),
    };
  }

  #passed(kind: Passage, from: ActivityRecord | undefined): void {
    this.#touches.cancelAll();
    const durationMs = PASSAGE_MS * this.#display.animationScale('transition_animation_scale');
    this.#transition = from && durationMs > 0 ? { kind, from, startMs: this.#nowMs, durationMs } : undefined;
    this.#focusChanged();
  }

  #touchScene(): TouchScene {
    const nowMs = (): number => this.#nowMs;
    return {
      get nowMs() {
        return nowMs();
      },
      regionAt: (x, y) => this.#regionAt(x, y),
      pressKey: (pointer, x, y) => {
        const area = this.#keyboardArea;
        if (area && this.#keyboard.press(pointer, x, y, area)) this.#note(false);
      },
      releaseKey: (pointer, x, y) => {
        const area = this.#keyboardArea;
        const field = this.#fieldWithKeyboard;
        const window = this.#activeWindow;
        const outcome = area && this.#keyboard.release(pointer, x, y, area);
        this.#note(false);
        if (!outcome || !field || !window) return;
        if (outcome === 'enter' && field.look.multiLine !== true && !field.look.onEnter)
          this.#leaveField(window, field);
        else if (outcome === 'enter') field.enter();
        else outcome(field);
      },
      cancelKey: (pointer) => {
        this.#keyboard.cancel(pointer);
        this.#note(false);
      },
      navigate: (button) => this.#navigate(button),
      dismiss: (window) => window.onDismiss?.(),
      focusField: (window, field, x, y) => {
        window.focus(field);
        this.#focusChanged();
        field.placeCaret(x, y, this.#drawing.text, this.#display.fontScale);
      },
    };
  }

  #regionAt(x: number, y: number): TouchRegion {
    const display = this.#displayBox;
    if (y >= display.height - NAVIGATION_HEIGHT) {
      return { kind: 'navigation', button: navigationButtonAt(display, x, y) };
    }
    const keyboard = this.#keyboardArea;
    if (keyboard && contains(keyboard, x, y)) return { kind: 'keyboard' };
    const window = this.#activeWindow;
    if (!window) return { kind: 'nothing' };
    if (window.kind === 'activity') return { kind: 'window', window };
    window.bringUp();
    return contains(window.placedRoot.box, x, y) ? { kind: 'window', window } : { kind: 'outside', window };
  }

  #navigate(button: NavigationButton): void {
    if (button === 'back') this.#back();
    else if (button === 'home') this.#apps.home();
    else this.#apps.recents();
  }

  #back(): void {
    const window = this.#activeWindow;
    if (this.keyboardShown && window) {
      window.keyboardHidden = true;
      this.#focusChanged();
      return;
    }
    this.#apps.back();
  }

  #keyScene(): KeyScene {
    const awake = (): boolean => this.#awake;
    const activeWindow = (): Window | undefined => this.#activeWindow;
    const clipboard = (): string => this.clipboard;
    const keep = (text: string): void => {
      this.clipboard = text;
    };
    return {
      get awake() {
        return awake();
      },
      get activeWindow() {
        return activeWindow();
      },
      get clipboard() {
        return clipboard();
      },
      set clipboard(text: string) {
        keep(text);
      },
      wake: () => this.#setAwake(true),
      sleep: () => this.#setAwake(false),
      back: () => this.#back(),
      home: () => this.#apps.home(),
      recents: () => this.#apps.recents(),
      changeVolume: (by) => this.#overlays.changeVolume(by),
      leaveField: (window, field) => this.#leaveField(window, field),
    };
  }

  #setAwake(awake: boolean): void {
    if (awake === this.#awake) return;
    this.#touches.cancelAll();
    this.#awake = awake;
    this.#note(true);
  }

  /** ENTER in a field without a use of its own: on to the next field, or the keyboard goes. */
  #leaveField(window: Window, field: EditField): void {
    window.bringUp();
    const fields = window.focusables().filter(({ view }) => view instanceof EditField);
    const next: View | undefined = fields[fields.findIndex(({ view }) => view === field) + 1]?.view;
    if (next && field.look.enterAction === 'next') window.focus(next);
    else {
      window.keyboardHidden = true;
      this.#focusChanged();
    }
  }

  #settingChanged(namespace: string, key: string): void {
    if (namespace === 'system' && key === 'font_scale') for (const window of this.#apps.windows) window.forgetSizes();
    this.#reshape();
    if (SEEN_SETTINGS.has(`${namespace} ${key}`)) this.#note(true);
  }

  #packagesChanged(): void {
    for (const { package: name } of this.#openPackages()) {
      if (!this.#apps.builtIn(name) && !this.#system.packages.get(name)) this.#apps.forceStop(name);
    }
    this.#front?.activity.onResume?.();
    this.#note(true);
  }

  #openPackages(): { package: string }[] {
    return [...new Set(this.#apps.windows.map((window) => window.package))].map((name) => ({ package: name }));
  }

  #shapeNow(): string {
    const { width, height, density } = this.#display;
    return `${width}x${height}@${density}/${this.rotation}`;
  }

  #reshape(): void {
    const shape = this.#shapeNow();
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#touches.cancelAll();
    this.#transition = undefined;
    for (const window of this.#apps.windows) window.forgetSizes();
    this.#note(true);
  }
}

/** Settings that the status bar or every app shows. */
const SEEN_SETTINGS = new Set(['system font_scale', 'global wifi_on', 'global airplane_mode_on']);

export { LAUNCHER_PACKAGE };
