import type { Timer } from '../../kit/async/clock.js';
import type { Rect } from '../ui/geometry.js';
import type { Painter } from '../ui/painter.js';
import type { TextLayout, TextLayouts } from '../ui/text-layout.js';
import { theme } from '../ui/theme.js';
import type { ScreenCore } from './screen-core.js';

/** How long a message stays (Android's Toast.LENGTH_SHORT), and the volume panel, ms. */
const TOAST_MS = 2000;
const VOLUME_MS = 3000;
const MAX_VOLUME = 15;

export interface Toast {
  text: string;
  laid: TextLayout;
  box: Rect;
}

/** Overlays above all windows that take no touches: a short message, the volume. */
export class Overlays {
  readonly #core: ScreenCore;
  #toast: { text: string; timer: Timer } | undefined;
  #volume: Timer | undefined;

  constructor(core: ScreenCore) {
    this.#core = core;
  }

  toast(text: string): void {
    this.#toast?.timer.cancel();
    const timer = this.#core.system.clock.after(TOAST_MS, () => {
      this.#toast = undefined;
      this.#core.note(false);
    });
    this.#toast = { text, timer };
    this.#core.note(false);
  }

  /** Returns the message that shows now and its box, dp. */
  toastIn(room: Rect, layouts: TextLayouts, fontScale: number): Toast | undefined {
    if (!this.#toast) return undefined;
    const { text } = this.#toast;
    const laid = layouts.layout(text, { size: 14, weight: 400 }, fontScale, Math.min(room.width - 72, 400), 3);
    const width = laid.width + 40;
    const height = laid.height + 24;
    const left = room.left + (room.width - width) / 2;
    return { text, laid, box: { left, top: room.top + room.height - height - 28, width, height } };
  }

  get volume(): number {
    const level = Number(this.#core.system.settings.get('system', 'volume_music') ?? '7');
    return Number.isInteger(level) && level >= 0 && level <= MAX_VOLUME ? level : 7;
  }

  changeVolume(by: number): void {
    const level = Math.max(0, Math.min(MAX_VOLUME, this.volume + by));
    this.#core.system.settings.put('system', 'volume_music', String(level));
    this.#volume?.cancel();
    this.#volume = this.#core.system.clock.after(VOLUME_MS, () => {
      this.#volume = undefined;
      this.#core.note(false);
    });
    this.#core.note(false);
  }

  close(): void {
    this.#toast?.timer.cancel();
    this.#volume?.cancel();
    this.#toast = undefined;
    this.#volume = undefined;
  }

  paint(painter: Painter, room: Rect): void {
    const toast = this.toastIn(room, painter.drawing.text, painter.fontScale);
    if (toast) {
      const { left, top, width, height } = toast.box;
      painter.fill(left, top, width, height, theme.toast, Math.min(24, height / 2));
      painter.text(toast.laid, left + 20, top + 12, theme.onToast);
    }
    if (this.#volume) {
      const height = 180;
      const left = room.left + room.width - 60;
      const top = room.top + (room.height - height) * 0.35;
      painter.fill(left, top, 48, height, theme.card, 24);
      painter.outline(left, top, 48, height, theme.outline, 1, 24);
      const track = height - 68;
      const filled = (track * this.volume) / MAX_VOLUME;
      painter.fill(left + 20, top + 20, 8, track, theme.surfaceHigh, 4);
      if (filled > 0) painter.fill(left + 20, top + 20 + track - filled, 8, filled, theme.primary, 4);
      painter.icon('volume', left + 13, top + height - 38, 22, theme.textSoft);
    }
  }
}
