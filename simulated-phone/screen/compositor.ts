import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Rect } from '../ui/geometry.js';
import { ticking, timed, type Motion } from '../ui/motion.js';
import { Painter } from '../ui/painter.js';
import type { AppRuntime } from './app-runtime.js';
import { BOOT_STEP_MS, paintBoot, type BootStage } from './boot-picture.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Overlays } from './overlays.js';
import { paintPicture, type Transition } from './picture.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade.js';

/** Durations of the phone's own animations at an animation scale of 1, ms. */
const DIALOG_MS = 150;
const KEYBOARD_MS = 180;
const MINUTE_MS = 60_000;

export interface CompositorOptions {
  core: ScreenCore;
  apps: AppRuntime;
  keyboard: KeyboardControl;
  overlays: Overlays;
  shade: Shade;
}

/** Draws windows, bars, keyboard and messages into one picture, and lists the motions in it. */
export class Compositor {
  readonly #parts: CompositorOptions;
  /** The picture of the boot, which is all that shows while the phone boots. */
  boot: { stage: BootStage; startMs: number } | undefined;
  transition: Transition | undefined;

  constructor(parts: CompositorOptions) {
    this.#parts = parts;
  }

  get #nowMs(): number {
    return this.#parts.core.nowMs;
  }

  /** Draws the present picture on a canvas of this size. */
  draw(context: SKRSContext2D, width: number, height: number, room: Rect): void {
    const { display, drawing } = this.#parts.core;
    const painter = new Painter({
      context,
      drawing,
      scale: display.scale * Math.min(width / display.width, height / display.height),
      fontScale: display.fontScale,
      nowMs: this.#nowMs,
    });
    if (this.boot) {
      const step = ticking(this.boot.startMs, BOOT_STEP_MS).phase(this.#nowMs);
      paintBoot(painter, display.widthDp, display.heightDp, this.boot.stage, step);
      return;
    }
    this.#drawApps(painter, room);
  }

  #drawApps(painter: Painter, room: Rect): void {
    const { apps, core, keyboard, overlays, shade } = this.#parts;
    const { display, drawing, system } = core;
    const { front } = apps;
    if (!front) return;
    if (this.transition && this.#nowMs >= this.transition.startMs + this.transition.durationMs) {
      // The outgoing activity is released with the last picture of its transition.
      this.transition = undefined;
    }
    const { area } = keyboard;
    const windowScale = display.animationScale('window_animation_scale');
    const online = system.settings.get('global', 'wifi_on') !== '0';
    paintPicture(painter, {
      display: display.box,
      front,
      transition: this.transition,
      status: {
        time: drawing.zoneTime.hours(system.clock.now(), core.timeZone),
        wifi: online && system.settings.get('global', 'airplane_mode_on') !== '1',
        battery: system.conditions.battery.level,
      },
      keyboard: area && {
        keys: keyboard.keys,
        area,
        startMs: keyboard.startMs,
        durationMs: KEYBOARD_MS * windowScale,
      },
      dialogMs: DIALOG_MS * windowScale,
      overlays,
      shade: shade.window,
      room,
    });
  }

  motions(): Motion[] {
    if (this.boot) return [ticking(this.boot.startMs, BOOT_STEP_MS)];
    const { apps, core, keyboard, shade } = this.#parts;
    const { display, system } = core;
    const { front } = apps;
    if (!front) return [];
    const intoMinuteMs = system.clock.now() % MINUTE_MS;
    const all: Motion[] = [ticking(this.#nowMs - intoMinuteMs, MINUTE_MS), this.#zoneMotion()];
    if (this.transition) all.push(timed(this.transition.startMs, this.transition.durationMs));
    const windowScale = display.animationScale('window_animation_scale');
    if (keyboard.target) all.push(timed(keyboard.startMs, KEYBOARD_MS * windowScale));
    for (const window of front.windows) {
      window.bringUp();
      window.motions(all, window.kind === 'activity' ? 0 : DIALOG_MS * windowScale);
    }
    shade.window?.bringUp();
    shade.window?.motions(all, 0);
    return all;
  }

  /** Returns a motion for the time zone, as the exit of a running phone may change without notifying the status bar. */
  #zoneMotion(): Motion {
    const { core } = this.#parts;
    const shown = core.timeZone;
    return {
      phase: () => (core.timeZone === shown ? 0 : 1),
      nextMs: () => Infinity,
      endMs: Infinity,
      eventful: false,
    };
  }
}
