import type { SKRSContext2D } from '@napi-rs/canvas';
import type { DumpOutcome, Frame } from '../system/system.js';
import { type DumpOptions, dumpXml } from '../ui/dump-xml.js';
import { type SeenElement, seenElements } from '../ui/seen-elements.js';
import { sourceXml } from '../ui/source-xml.js';
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
  /** Runs code of apps' views, and handles the errors of that code (ScreenParts). */
  fromApps: <T>(read: () => T) => T | undefined;
}

/** Makes the pictures and dumps of a screen. */
export class ScreenOutput {
  readonly #parts: ScreenOutputParts;
  /** The latest capture in full size. It is used again while it is in memory and the screen has not changed. */
  #latest: WeakRef<Frame> | undefined;

  constructor(parts: ScreenOutputParts) {
    this.#parts = parts;
  }

  capture(scale: number): Frame {
    const { display, drawing, changes } = this.#parts.core;
    const width = Math.max(1, Math.round(display.width * scale));
    const height = Math.max(1, Math.round(display.height * scale));
    const { revision } = changes;
    const latest = this.#latest?.deref();
    if (latest?.revision === revision && latest.width === width && latest.height === height) return latest;
    const { sheet, release } = drawing.pool.borrow(width, height);
    try {
      this.#draw(sheet.context, width, height);
      const frame = { width, height, data: sheet.canvas.data(), revision };
      if (scale === 1) this.#latest = new WeakRef(frame);
      return frame;
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
    const { changes, system } = this.#parts.core;
    // Clients request the compressed dump after the plain one failed, so it waits no longer than a quiet screen needs.
    const limitMs = compressed ? QUIET_MS : IDLE_LIMIT_MS;
    const idle = await waitForIdle(system.clock, () => changes.lastEventMs, limitMs, signal);
    if (!idle && !compressed) return { kind: 'not-idle' };
    const xml = this.#read(compressed, dumpXml);
    return xml === undefined ? { kind: 'null-root' } : { kind: 'xml', xml };
  }

  source(): string | undefined {
    const { width, height } = this.#parts.core.display;
    return this.#read(false, (options) => sourceXml({ ...options, width, height }));
  }

  elements(): SeenElement[] | undefined {
    return this.#read(false, seenElements);
  }

  /** Reads the active window; undefined when there is none. */
  #read<T>(compressed: boolean, read: (options: DumpOptions) => T): T | undefined {
    return this.#parts.fromApps(() => {
      const options = this.#dumpOptions(compressed);
      return options && read(options);
    });
  }

  #dumpOptions(compressed: boolean): DumpOptions | undefined {
    const { core, layout, overlays } = this.#parts;
    const { display, drawing } = core;
    const window = this.#parts.activeWindow();
    if (!window) return undefined;
    window.bringUp();
    return {
      root: window.placedRoot,
      clip: window.clip,
      package: window.package,
      rotation: display.rotation,
      scale: display.scale,
      nowMs: core.nowMs,
      compressed,
      toast: overlays.toastIn(layout.room, drawing.text, display.fontScale),
    };
  }

  #draw(context: SKRSContext2D, width: number, height: number): void {
    const { compositor, core, fromApps, layout } = this.#parts;
    fromApps(() => {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.globalAlpha = 1;
      context.fillStyle = '#000000';
      context.fillRect(0, 0, width, height);
      if (!core.black) compositor.draw(context, width, height, layout.room);
    });
  }
}
