import type { Gravity, Rect, Size } from './geometry.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface StackOptions extends ViewOptions {
  /** Room between children, dp. */
  gap?: number;
  /** Alignment of children across the direction; the default is the start, without stretching. */
  align?: Gravity;
  /** Alignment of children along the direction when there is room to spare. */
  justify?: Gravity;
}

/** Lays children out one below the other. */
export function column(options: StackOptions, children: readonly View[]): View {
  return new Stack(options, children, true);
}

/** Lays children out side by side, by default centred on a line. */
export function row(options: StackOptions, children: readonly View[]): View {
  return new Stack({ align: 'center', ...options }, children, false);
}

class Stack extends View {
  readonly #vertical: boolean;

  constructor(options: StackOptions, children: readonly View[], vertical: boolean) {
    super({ className: 'android.widget.LinearLayout', ...options }, children);
    this.#vertical = vertical;
  }

  get #stack(): StackOptions {
    return this.options;
  }

  protected override measureContent(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    const boxes = this.#place(context, maxWidth, maxHeight);
    let along = 0;
    let across = 0;
    for (const { view, size } of boxes) {
      const { top, right, bottom, left } = view.margin;
      const width = size.width + left + right;
      const height = size.height + top + bottom;
      along += this.#vertical ? height : width;
      across = Math.max(across, this.#vertical ? width : height);
    }
    along += (this.#stack.gap ?? 0) * Math.max(0, boxes.length - 1);
    const weighted = boxes.some(({ view }) => view.options.share !== undefined);
    const most = this.#vertical ? maxHeight : maxWidth;
    if (weighted && Number.isFinite(most)) along = most;
    return this.#vertical ? { width: across, height: along } : { width: along, height: across };
  }

  protected override layoutContent(context: LayoutContext): void {
    const pad = this.padding;
    const room = { width: this.width - pad.left - pad.right, height: this.height - pad.top - pad.bottom };
    const boxes = this.#place(context, room.width, room.height);
    const gap = this.#stack.gap ?? 0;
    const used =
      gap * Math.max(0, boxes.length - 1) +
      boxes.reduce((sum, { view, size }) => {
        const m = view.margin;
        return sum + (this.#vertical ? size.height + m.top + m.bottom : size.width + m.left + m.right);
      }, 0);
    const spare = (this.#vertical ? room.height : room.width) - used;
    let at = Math.max(0, spared(this.#stack.justify, spare));
    for (const { view, size } of boxes) {
      const m = view.margin;
      if (this.#vertical) {
        const left =
          pad.left + m.left + Math.max(0, spared(this.#stack.align, room.width - size.width - m.left - m.right));
        view.layout(context, { left, top: pad.top + at + m.top, ...size });
        at += m.top + size.height + m.bottom + gap;
      } else {
        const top =
          pad.top + m.top + Math.max(0, spared(this.#stack.align, room.height - size.height - m.top - m.bottom));
        view.layout(context, { left: pad.left + at + m.left, top, ...size });
        at += m.left + size.width + m.right + gap;
      }
    }
  }

  /** Returns the sizes of the visible children. The unweighted ones are measured first; the others share the remaining room. */
  #place(context: LayoutContext, maxWidth: number, maxHeight: number): { view: View; size: Size }[] {
    const shown = this.children.filter((child) => child.visible);
    const sizes = new Map<View, Size>();
    let left = (this.#vertical ? maxHeight : maxWidth) - (this.#stack.gap ?? 0) * Math.max(0, shown.length - 1);
    let weights = 0;
    const finite = Number.isFinite(left);
    for (const view of shown) {
      const m = view.margin;
      const across = m.left + m.right;
      const down = m.top + m.bottom;
      const weight = finite ? view.options.share : undefined;
      left -= this.#vertical ? down : across;
      if (weight !== undefined) {
        weights += weight;
        continue;
      }
      const room = Math.max(0, left);
      const size = this.#vertical
        ? view.measure(context, Math.max(0, maxWidth - across), room)
        : view.measure(context, room, Math.max(0, maxHeight - down));
      left -= this.#vertical ? size.height : size.width;
      sizes.set(view, size);
    }
    left = Math.max(0, left);
    return shown.map((view) => {
      const known = sizes.get(view);
      if (known) return { view, size: known };
      const m = view.margin;
      const part = (left * (view.options.share ?? 0)) / weights;
      const size = this.#vertical
        ? { width: view.measure(context, Math.max(0, maxWidth - m.left - m.right), part).width, height: part }
        : { width: part, height: view.measure(context, part, Math.max(0, maxHeight - m.top - m.bottom)).height };
      return { view, size };
    });
  }
}

/** Lays children on top of each other; each is aligned by its `place`. */
export function overlay(options: ViewOptions, children: readonly View[]): View {
  return new Overlay({ className: 'android.widget.FrameLayout', ...options }, children);
}

class Overlay extends View {
  protected override measureContent(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    let width = 0;
    let height = 0;
    for (const child of this.children) {
      if (!child.visible) continue;
      const m = child.margin;
      const size = child.measure(
        context,
        Math.max(0, maxWidth - m.left - m.right),
        Math.max(0, maxHeight - m.top - m.bottom),
      );
      width = Math.max(width, size.width + m.left + m.right);
      height = Math.max(height, size.height + m.top + m.bottom);
    }
    return { width, height };
  }

  protected override layoutContent(context: LayoutContext): void {
    const pad = this.padding;
    for (const child of this.children) {
      if (!child.visible) continue;
      const m = child.margin;
      const room: Rect = {
        left: pad.left + m.left,
        top: pad.top + m.top,
        width: Math.max(0, this.width - pad.left - pad.right - m.left - m.right),
        height: Math.max(0, this.height - pad.top - pad.bottom - m.top - m.bottom),
      };
      const size = child.measure(context, room.width, room.height);
      const [horizontal, vertical] = child.options.place ?? ['start', 'start'];
      child.layout(context, {
        left: room.left + spared(horizontal, room.width - size.width),
        top: room.top + spared(vertical, room.height - size.height),
        ...size,
      });
    }
  }
}

function spared(gravity: Gravity | undefined, spare: number): number {
  return gravity === 'center' ? spare / 2 : gravity === 'end' ? spare : 0;
}
