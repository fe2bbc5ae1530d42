import type { Size } from './geometry.js';
import { ScrollBase } from './scroll.js';
import type { LayoutContext, View, ViewOptions } from './view.js';

export interface DragOptions extends ViewOptions {
  axis: 'vertical' | 'horizontal';
  /** Whether the content moves with the finger. */
  follows: boolean;
  /** Is called when the finger leaves, with how far it dragged (dp, to the right or down) and its speed (dp per ms). */
  onLetGo: (dragged: number, speed: number) => void;
  /** -1: it can be dragged only up or to the left. Absent: it can be dragged both ways. */
  only?: -1;
}

/** A box that a finger can drag along one axis, and that is back in its place when the finger leaves. */
export class DragView extends ScrollBase {
  #dragged = 0;

  constructor(options: DragOptions, child: View) {
    super({ className: 'android.widget.FrameLayout', clips: false, ...options }, [child]);
  }

  get #drag(): DragOptions {
    return this.options as DragOptions;
  }

  override get scrollable(): boolean {
    return false;
  }

  override get focusable(): boolean {
    return this.clickable;
  }

  override get most(): number {
    return 1;
  }

  override canMove(direction: number): boolean {
    return this.#drag.only === undefined || direction > 0;
  }

  override dragBy(dp: number): boolean {
    this.#dragged -= dp;
    if (this.#drag.follows) this.changed({ eventful: false });
    return true;
  }

  override release(speedDpPerMs: number): void {
    const dragged = this.#dragged;
    this.#dragged = 0;
    if (this.#drag.follows) this.changed({ eventful: false });
    this.#drag.onLetGo(dragged, -speedDpPerMs);
  }

  override childShift(_nowMs: number): { x: number; y: number } {
    if (!this.#drag.follows) return { x: 0, y: 0 };
    return this.axis === 'vertical' ? { x: 0, y: this.#dragged } : { x: this.#dragged, y: 0 };
  }

  protected override measureContent(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    return this.children[0]?.measure(context, maxWidth, maxHeight) ?? { width: 0, height: 0 };
  }

  protected override layoutContent(context: LayoutContext): void {
    const { left, top, right, bottom } = this.padding;
    const room = { width: this.width - left - right, height: this.height - top - bottom };
    this.children[0]?.layout(context, { left, top, ...room });
  }
}

/** A drag removes a row if it goes farther than this share of the row's width, or faster than this speed (dp per ms). */
const SWIPED_SHARE = 0.4;
const SWIPED_SPEED = 0.6;

/** Returns a row that a swipe to either side removes. */
export function swipeAway(options: ViewOptions & { onSwiped: () => void }, child: View): DragView {
  const { onSwiped, ...rest } = options;
  const view: DragView = new DragView(
    {
      ...rest,
      axis: 'horizontal',
      follows: true,
      onLetGo: (dragged, speed) => {
        const isFar = Math.abs(dragged) > view.width * SWIPED_SHARE;
        const isFast = Math.abs(speed) > SWIPED_SPEED && Math.sign(speed) === Math.sign(dragged);
        if (isFar || isFast) onSwiped();
      },
    },
    child,
  );
  return view;
}
