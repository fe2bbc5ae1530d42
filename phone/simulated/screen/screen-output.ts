import type { SKRSContext2D } from '@napi-rs/canvas';
import type { DumpOutcome, Frame } from '../system.js';
import { dumpXml } from '../ui/dump-xml.js';
import type { Compositor } from './compositor.js';
import type { Layout } from './layout.js';
import type { Overlays } from './overlays.js';
import type { ScreenCore } from './screen-core.js';
import { IDLE_LIMIT_MS, QUIET_MS, waitForIdle } from './wait-for-idle.js';
import type { Window } from './window.js';

interface ScreenOutputParts {
  core: ScreenCore;
  layout: Layout;
  compositor: Compositor;
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
    const { display, drawing, changes } = this.#parts.core;
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
    const { sheet, release } = this.#parts.core.drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      return await sheet.canvas.encode('jpeg', quality);
    } finally {
      release();
    }
  }

  async dump({ compressed, signal }: { compressed: boolean; signal?: AbortSignal }): Promise<DumpOutcome> {
    const { core, layout, overlays } = this.#parts;
    const { changes, display, drawing, system } = core;
    // Clients request the compressed dump after the plain one failed, so it waits no longer than a quiet screen needs.
    const limitMs = compressed ? QUIET_MS : IDLE_LIMIT_MS;
    const idle = await waitForIdle(system.clock, () => changes.lastEventMs, limitMs, signal);
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
      nowMs: core.nowMs,
      compressed,
      toast: overlays.toastIn(layout.room, drawing.text, display.fontScale),
    });
    return { kind: 'xml', xml };
  }

  #draw(context: SKRSContext2D, width: number, height: number): void {
    const { compositor, core, layout } = this.#parts;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = '#000000';
    context.fillRect(0, 0, width, height);
    if (!core.black) compositor.draw(context, width, height, layout.room);
  }
}
