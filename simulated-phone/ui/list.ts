import { ScrollBase, type ScrollOptions } from './scroll.js';
import type { Size } from './geometry.js';
import type { LayoutContext, View } from './view.js';

export interface ListOptions extends ScrollOptions {
  count: number;
  /** Height of each row, dp. */
  rowHeight: number;
  row: (at: number) => View;
}

/** A list that creates rows when they come into view and drops them when they leave it. So 500 rows cost as much as those of one screen. */
export class ListView extends ScrollBase {
  #count: number;
  #rows = new Map<number, View>();

  constructor(options: ListOptions) {
    super({ className: 'androidx.recyclerview.widget.RecyclerView', ...options });
    this.#count = options.count;
  }

  get #list(): ListOptions {
    return this.options as ListOptions;
  }

  /** Takes a new number of rows and makes every row anew. */
  refresh(count: number): void {
    this.#count = count;
    this.#rows.clear();
    this.setChildren([]);
  }

  protected override measureContent(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    const width = Number.isFinite(maxWidth) ? maxWidth : 0;
    return { width, height: Math.min(maxHeight, this.#rowHeight(context) * this.#count) };
  }

  protected override layoutContent(context: LayoutContext): void {
    const pad = this.padding;
    this.range = Math.max(0, this.#rowHeight(context) * this.#count + pad.top + pad.bottom - this.height);
    this.#fill(context, true);
  }

  override prepare(context: LayoutContext): void {
    this.#fill(context, false);
  }

  #rowHeight(context: LayoutContext): number {
    return this.#list.rowHeight * Math.max(1, context.fontScale);
  }

  #fill(context: LayoutContext, relayout: boolean): void {
    const height = this.#rowHeight(context);
    const offset = this.offsetAt(context.nowMs);
    const pad = this.padding;
    const firstAt = Math.max(0, Math.floor((offset - pad.top) / height));
    const lastAt = Math.min(this.#count - 1, Math.floor((offset - pad.top + this.height) / height));
    const rows = new Map<number, View>();
    let same = this.#rows.size === Math.max(0, lastAt - firstAt + 1);
    for (let at = firstAt; at <= lastAt; at++) {
      const known = this.#rows.get(at);
      const view = known ?? this.#list.row(at);
      if (!known) same = false;
      rows.set(at, view);
      if (known && !relayout && known.width > 0) continue;
      view.parent = this;
      const width = this.width - pad.left - pad.right;
      view.measure(context, width, height);
      view.layout(context, { left: pad.left, top: pad.top + at * height, width, height });
    }
    if (same) return;
    for (const [at, view] of this.#rows) if (!rows.has(at)) view.parent = undefined;
    this.#rows = rows;
    // `setChildren` is not used, as creating rows is no visible change.
    this.children = [...rows.values()];
  }
}
