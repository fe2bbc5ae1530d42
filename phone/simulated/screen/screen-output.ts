import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Clock } from '../../../kit/clock.js';
import type { DumpOutcome, Frame } from '../system.js';
import type { Drawing } from '../ui/drawing.js';
import { dumpXml } from '../ui/dump-xml.js';
import type { ChangeTracker } from './change-tracker.js';
import type { Compositor } from './compositor.js';
import type { Display } from './display.js';
import type { Layout } from './layout.js';
import type { Overlays } from './overlays.js';
import { IDLE_LIMIT_MS, QUIET_MS, waitForIdle } from './wait-for-idle.js';
import type { Window } from './window.js';

interface ScreenOutputParts {
  clock: Clock;
  drawing: Drawing;
  display: Display;
  layout: Layout;
  compositor: Compositor;
  changes: ChangeTracker;
  /** Whether nothing shows: the screen is off, or the window in front is secure. */
  black: () => boolean;
  activeWindow: () => Window | undefined;
  overlays: Overlays;
}

/** Pictures and dumps of a screen. */
export class ScreenOutput {
  readonly #parts: ScreenOutputParts;

  constructor(parts: ScreenOutputParts) {
    this.#parts = parts;
  }

  capture(scale: number): Frame {
    const { display, drawing, changes } = this.#parts;
    const width = Math.max(1, Math.round(display.width * scale));
    const height = Math.max(1, Math.round(display.height * scale));
    const { revision } = changes;
    const { sheet, release } = drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      return { width, height, data: sheet.canvas.data(), revision };
    } finally {
      release();
    }
  }

  async captureJpeg({ width, height, quality }: { width: number; height: number; quality: number }): Promise<Buffer> {
    const { sheet, release } = this.#parts.drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      return await sheet.canvas.encode('jpeg', quality);
    } finally {
      release();
    }
  }

  async dump({ compressed, signal }: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome> {
    const { clock, changes, display, drawing, layout, overlays } = this.#parts;
    // Clients request the compressed dump after the plain one failed, so it waits no longer than a quiet screen needs.
    const limitMs = compressed ? QUIET_MS : IDLE_LIMIT_MS;
    const idle = await waitForIdle(clock, () => changes.lastEventMs, limitMs, signal);
    if (!idle && !compressed) return { kind: 'not-idle' };
    const window = this.#parts.activeWindow();
    if (!window) return { kind: 'null-root' };
    window.bringUp();
    const xml = dumpXml({
      root: window.placedRoot,
      clip: window.clip,
      package: window.package,
      rotation: display.rotation,
      scale: display.scale,
      nowMs: clock.monotonicMs(),
      compressed,
      toast: overlays.toastIn(layout.room, drawing.text, display.fontScale),
    });
    return { kind: 'xml', xml };
  }

  #draw(context: SKRSContext2D, width: number, height: number): void {
    const { compositor, layout, black } = this.#parts;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = '#000000';
    context.fillRect(0, 0, width, height);
    if (!black()) compositor.draw(context, width, height, layout.room);
  }
}
