import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';

export interface Sheet {
  readonly canvas: Canvas;
  readonly context: SKRSContext2D;
}

/** Most canvases that are kept for the next drawing, over all phones of the process; one of 1080x2400 has 10 MB. */
const KEPT = 3;

/** Lends canvases for one drawing, so that a phone without a viewer needs no canvas. */
export class CanvasPool {
  #kept: Sheet[] = [];

  /** Lends a canvas. Call `release` when the pixels were read. The sheet has old pixels, so all of it must be painted. */
  borrow(width: number, height: number): { sheet: Sheet; release: () => void } {
    const at = this.#kept.findIndex(({ canvas }) => canvas.width === width && canvas.height === height);
    const sheet = at >= 0 ? this.#kept.splice(at, 1)[0] : undefined;
    const lent = sheet ?? newSheet(width, height);
    let out = true;
    return {
      sheet: lent,
      release: () => {
        if (!out) return;
        out = false;
        this.#kept.push(lent);
        if (this.#kept.length > KEPT) this.#kept.shift();
      },
    };
  }

  get keptCount(): number {
    return this.#kept.length;
  }
}

function newSheet(width: number, height: number): Sheet {
  const canvas = createCanvas(width, height);
  // Without alpha, reading the pixels is a plain copy, which is 15 times cheaper than un-premultiplying them.
  return { canvas, context: canvas.getContext('2d', { alpha: false }) };
}
