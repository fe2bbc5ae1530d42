import type { IntentTarget, Target } from '../system/target.js';
import type { SeenElement } from '../ui/seen-elements.js';
import type { AppFailure, DumpOutcome, Frame, LaunchOutcome, Screen, TouchPhase } from '../system/system.js';
import type { BootStage } from './boot-picture.js';
import type { Rotation } from './display.js';
import type { Notifications } from './notifications.js';
import type { SavedScreen } from './saved-screen.js';
import { ScreenParts } from './screen-parts.js';
import type { ScreenOptions, ScreenSystem } from './screen-system.js';

/** Makes a phone's screen, dark until `showBoot` or `home` is called. */
export function createScreen(system: ScreenSystem, options: ScreenOptions): SimulatedScreen {
  return new SimulatedScreen(new ScreenParts(system, options));
}

/** The display of a simulated phone. It shows windows and apps, takes fingers and keys, and makes pictures and dumps. */
export class SimulatedScreen implements Screen {
  readonly #parts: ScreenParts;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
  }

  get notifications(): Notifications {
    return this.#parts.notifications;
  }

  get width(): number {
    return this.#parts.core.display.width;
  }

  get height(): number {
    return this.#parts.core.display.height;
  }

  get density(): number {
    return this.#parts.core.display.density;
  }

  get rotation(): Rotation {
    return this.#parts.core.display.rotation;
  }

  get awake(): boolean {
    return this.#parts.core.awake;
  }

  get revision(): number {
    return this.#parts.core.changes.revision;
  }

  get foreground(): { package: string; activity: string } {
    const front = this.#parts.front;
    return front ? { package: front.app.package, activity: front.name } : { package: 'android', activity: '.Boot' };
  }

  get focusedWindow(): string {
    return this.#parts.activeWindow?.token ?? '0000000';
  }

  get keyboardShown(): boolean {
    return this.#parts.keyboard.target !== undefined;
  }

  get focusedField(): Screen['focusedField'] {
    const field = this.#parts.keyboard.field;
    const front = this.#parts.front;
    if (!field || !front) return undefined;
    const { text, password, className, token, options } = field;
    const id = options.id === undefined ? '' : ` #7f080001 app:id/${options.id}`;
    const view = `${className}{${token} VFED..CL. .F...... 0,0-${field.width},${field.height}${id}}`;
    return { package: front.app.package, text, password, view };
  }

  get clipboard(): string {
    return this.#parts.input.clipboard.text;
  }

  set clipboard(text: string) {
    this.#parts.input.clipboard.text = text;
  }

  get shadeOpen(): boolean {
    return this.#parts.shade.window !== undefined;
  }

  set shadeOpen(open: boolean) {
    if (!this.#usable) return;
    if (open) this.#parts.shade.open();
    else this.#parts.shade.close();
  }

  get secure(): boolean {
    return this.#parts.front?.secure ?? false;
  }

  get settlesAtMs(): number | undefined {
    const pending = this.#parts.core.awake ? this.#parts.apps.timers.pendingEndMs : undefined;
    const moving = this.#parts.core.changes.motionEndMs;
    if (pending === undefined || moving === undefined) return pending ?? moving;
    return Math.max(pending, moving);
  }

  /** Shows the stage of the boot. */
  showBoot(stage: BootStage): void {
    this.#parts.core.awake = true;
    this.#parts.compositor.boot = { stage, startMs: this.#parts.compositor.boot?.startMs ?? this.#parts.core.nowMs };
    this.#parts.core.note(false);
  }

  /** Ends the boot picture and opens the launcher. */
  home(): void {
    this.#parts.compositor.boot = undefined;
    this.#parts.core.awake = true;
    this.#parts.apps.home();
    this.#parts.core.note(true);
  }

  /** Returns the open apps, for a snapshot. */
  save(): SavedScreen {
    return this.#parts.apps.save();
  }

  /** Opens the apps of a snapshot, once the launcher is up. */
  resume(saved: SavedScreen): void {
    this.#parts.inApp(() => this.#parts.apps.reopen(saved));
  }

  /** Closes all apps and goes dark, as when the phone is switched off. */
  dispose(): void {
    this.#parts.core.closed = true;
    this.#parts.input.cancelTouches();
    this.#parts.apps.closeAll();
    this.#parts.overlays.close();
    this.#parts.core.changes.close();
    this.#parts.core.awake = false;
    this.#parts.compositor.transition = undefined;
  }

  setSizeOverride(size: { width: number; height: number } | undefined): void {
    this.#parts.core.display.sizeOverride = size;
    this.#parts.outside.reshape();
  }

  setDensityOverride(density: number | undefined): void {
    this.#parts.core.display.densityOverride = density;
    this.#parts.outside.reshape();
  }

  capture({ scale = 1 }: { scale?: number } = {}): Frame {
    return this.#parts.output.capture(scale);
  }

  captureJpeg(size: { width: number; height: number; quality: number }): Promise<Buffer> {
    return this.#parts.output.captureJpeg(size);
  }

  dump(options: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome> {
    return this.#parts.output.dump(options);
  }

  source(): string | undefined {
    return this.#parts.output.source();
  }

  elements(): readonly SeenElement[] | undefined {
    return this.#parts.output.elements();
  }

  get lastEventMs(): number {
    return this.#parts.core.changes.lastEventMs;
  }

  touch({ phase, x, y, pointer }: { phase: TouchPhase; x: number; y: number; pointer: number }): void {
    if (!this.#usable) return;
    const { scale } = this.#parts.core.display;
    this.#parts.inApp(() => this.#parts.input.touch(phase, x / scale, y / scale, pointer));
  }

  key({ code, phase }: { code: number; phase: 'down' | 'up' }): void {
    if (this.#parts.compositor.boot === undefined && !this.#parts.core.closed)
      this.#parts.inApp(() => this.#parts.input.key(code, phase));
  }

  commitText(text: string): boolean {
    if (this.#parts.apps.ignoresInput(this.#parts.activeWindow)) return true;
    const field = this.#parts.keyboard.field;
    this.#parts.inApp(() => field?.type(text));
    return field !== undefined;
  }

  clearText(): boolean {
    const field = this.#parts.keyboard.field;
    this.#parts.inApp(() => field?.edit((text) => text.replaceAll('')));
    return field !== undefined;
  }

  launch(target: Target & { extras?: Readonly<Record<string, string>> }): LaunchOutcome {
    return this.#parts.apps.launch(target, target.extras);
  }

  query(target: IntentTarget): { components: string[]; resolved: string | undefined } {
    return this.#parts.apps.query(target);
  }

  forceStop(packageName: string): void {
    this.#parts.apps.forceStop(packageName);
  }

  fail(packageName: string, failure: AppFailure): boolean {
    return this.#parts.apps.fail(packageName, failure);
  }

  get failureDialog(): string | undefined {
    return this.#parts.front && this.#parts.apps.failureDialog;
  }

  onChange(listener: () => void): () => void {
    return this.#parts.core.changes.onChange(listener);
  }

  /** Whether the screen takes touches. */
  get #usable(): boolean {
    const { core, compositor } = this.#parts;
    return core.awake && compositor.boot === undefined && !core.closed;
  }
}
