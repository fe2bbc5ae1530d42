import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';

export interface Sheet {
  readonly canvas: Canvas;
  readonly context: SKRSContext2D;
}

/** Canvases kept for the next drawing, over all phones of the process; a 1080x2400 one is 10 MB. */
const KEPT = 3;

/** Lends canvases for one drawing, so that a phone without a viewer needs no canvas. */
export class CanvasPool {
  #kept: Sheet[] = [];

  /** Call `release` when the pixels are out. The sheet has old pixels: paint all of it. */
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
  // Without alpha, reading the pixels is a plain copy: 15 times cheaper than un-premultiplying them.
  return { canvas, context: canvas.getContext('2d', { alpha: false }) };
}
