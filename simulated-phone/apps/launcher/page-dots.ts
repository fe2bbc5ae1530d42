import type { Painter } from '../../ui/painter.js';
import type { ScrollBase } from '../../ui/scroll.js';
import { View } from '../../ui/view.js';

/** Dots that show which page of several is visible. */
export class PageDots extends View {
  readonly #pager: ScrollBase;

  constructor(pager: ScrollBase) {
    super({ width: 'fill', height: 20 });
    this.#pager = pager;
  }

  override paintContent(painter: Painter): void {
    const pages = Math.round(this.#pager.most / Math.max(1, this.#pager.width)) + 1;
    if (pages < 2) return;
    const current = Math.round(this.#pager.offsetAt(painter.nowMs) / this.#pager.width);
    for (let at = 0; at < pages; at++) {
      const x = this.width / 2 + (at - (pages - 1) / 2) * 16;
      painter.circle(x, 10, at === current ? 4 : 3, at === current ? '#ffffff' : '#8aa5c4');
    }
  }
}
