import { clamp, type Size } from './geometry.js';
import { fling, slideTo, type Glide } from './fling.js';
import { timed, type Motion } from './motion.js';
import type { Painter } from './painter.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface ScrollOptions extends ViewOptions {
  axis?: 'vertical' | 'horizontal';
  /** Whether it stays at the end when content is added there, as a conversation does. */
  stickToEnd?: boolean;
  /** Whether it rests only on whole pages of its own size. */
  paged?: boolean;
}

const PAGE_SLIDE_MS = 260;

/** Holds the position of a scroll container, which a finger drags, a fling moves, or which rests. */
export abstract class ScrollBase extends View {
  declare readonly options: ScrollOptions;
  #offset = 0;
  #glide: Glide | undefined;
  /** The greatest position, dp. It is known after layout. */
  protected range = 0;

  constructor(options: ScrollOptions, children: readonly View[] = []) {
    super({ clips: true, ...options }, children);
  }

  get axis(): 'vertical' | 'horizontal' {
    return this.options.axis ?? 'vertical';
  }

  override get scrollable(): boolean {
    return this.range > 0;
  }

  override get focusable(): boolean {
    return this.range > 0;
  }

  get most(): number {
    return this.range;
  }

  offsetAt(nowMs: number): number {
    return clamp(this.#glide ? this.#glide.at(nowMs) : this.#offset, 0, Math.max(0, this.range));
  }

  get offset(): number {
    return this.offsetAt(this.host?.nowMs ?? 0);
  }

  /** Sets the position at once and ends any fling. */
  set offset(offset: number) {
    const held = clamp(offset, 0, Math.max(0, this.range));
    const before = this.offset;
    this.#glide = undefined;
    this.#offset = held;
    if (held !== before) this.changed();
  }

  /** Scrolls with a finger; returns whether it moved. */
  dragBy(dp: number): boolean {
    const before = this.offset;
    this.offset = before + dp;
    return this.offset !== before;
  }

  canMove(direction: number): boolean {
    const { offset } = this;
    return direction > 0 ? offset < this.range - 0.01 : offset > 0.01;
  }

  /** Ends a drag with a speed; a paged container slides to the next page. */
  release(speedDpPerMs: number): void {
    const nowMs = this.host?.nowMs ?? 0;
    const from = this.offset;
    const page = this.axis === 'vertical' ? this.height : this.width;
    this.#offset = from;
    if (this.options.paged === true && page > 0) {
      const lean = Math.abs(speedDpPerMs) > 0.25 ? Math.sign(speedDpPerMs) * 0.5 : 0;
      const to = clamp(Math.round(from / page + lean) * page, 0, Math.max(0, this.range));
      this.#move(to === from ? undefined : slideTo(nowMs, from, to, PAGE_SLIDE_MS), to);
      return;
    }
    const glide = fling(nowMs, from, speedDpPerMs, { least: 0, most: this.range });
    this.#move(glide, glide ? glide.at(nowMs + glide.durationMs) : from);
  }

  /** Slides to an offset. */
  slide(to: number, durationMs = PAGE_SLIDE_MS): void {
    const nowMs = this.host?.nowMs ?? 0;
    const held = clamp(to, 0, Math.max(0, this.range));
    const from = this.offset;
    if (held === from) return;
    this.#move(durationMs > 0 ? slideTo(nowMs, from, held, durationMs) : undefined, held);
  }

  /** Keeps the position at the end. The layout calls this, so no change is notified. */
  protected stick(rangeBefore: number): void {
    if (this.#glide === undefined && this.#offset >= rangeBefore - 1) this.#offset = this.range;
  }

  #move(glide: Glide | undefined, end: number): void {
    this.#glide = glide;
    this.#offset = end;
    this.changed();
  }

  /** Stops a fling; returns whether there was one. */
  hold(): boolean {
    const nowMs = this.host?.nowMs ?? 0;
    if (!this.#glide || nowMs >= this.#glide.startMs + this.#glide.durationMs) return false;
    this.#offset = this.offsetAt(nowMs);
    this.#glide = undefined;
    this.changed();
    return true;
  }

  override motions(): readonly Motion[] {
    const glide = this.#glide;
    return glide ? [...super.motions(), timed(glide.startMs, glide.durationMs, true)] : super.motions();
  }

  override childShift(nowMs: number): { x: number; y: number } {
    const offset = this.offsetAt(nowMs);
    return this.axis === 'vertical' ? { x: 0, y: -offset } : { x: -offset, y: 0 };
  }

  /** Scrolls just enough to show the part between `from` and `to`, dp from the content's start. */
  reveal(from: number, to: number): void {
    const page = this.axis === 'vertical' ? this.height : this.width;
    const { offset } = this;
    if (to > offset + page) this.offset = to - page;
    if (from < offset) this.offset = from;
  }

  override paintOver(painter: Painter): void {
    // The bar shows while the content moves, as on a phone.
    const glide = this.#glide;
    if (this.range <= 0 || this.axis !== 'vertical' || this.options.paged === true) return;
    if (!glide || painter.nowMs >= glide.startMs + glide.durationMs) return;
    const length = Math.max(32, (this.height * this.height) / (this.height + this.range));
    const at = (this.offsetAt(painter.nowMs) / this.range) * (this.height - length);
    painter.fill(this.width - 6, at, 4, length, 'rgba(26,28,32,0.35)', 2);
  }
}

/** A view with one child that may be larger than the view. */
export class ScrollView extends ScrollBase {
  protected override measureContent(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    const child = this.children[0];
    if (!child) return { width: 0, height: 0 };
    const down = this.axis === 'vertical';
    return child.measure(context, down ? maxWidth : Infinity, down ? Infinity : maxHeight);
  }

  protected override layoutContent(context: LayoutContext): void {
    const child = this.children[0];
    if (!child) return;
    const pad = this.padding;
    const room = { width: this.width - pad.left - pad.right, height: this.height - pad.top - pad.bottom };
    const down = this.axis === 'vertical';
    const size = child.measure(context, down ? room.width : Infinity, down ? Infinity : room.height);
    const width = down ? room.width : size.width;
    const height = down ? size.height : room.height;
    child.layout(context, { left: pad.left, top: pad.top, width, height });
    const before = this.range;
    this.range = Math.max(0, down ? height - room.height : width - room.width);
    if (this.options.stickToEnd === true) this.stick(before);
  }
}

export function scroll(options: ScrollOptions, child: View): ScrollView {
  const sideways =
    options.paged === true ? 'androidx.viewpager.widget.ViewPager' : 'android.widget.HorizontalScrollView';
  const className = options.axis === 'horizontal' ? sideways : 'android.widget.ScrollView';
  return new ScrollView({ className, ...options }, [child]);
}
