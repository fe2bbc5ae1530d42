import { insets, type Insets, type Rect, type Size } from './geometry.js';
import { timed, progressAt, decelerate, type Motion } from './motion.js';
import type { Painter } from './painter.js';
import type { TextLayouts } from './text-layout.js';
import { theme } from './theme.js';
import type { Extent, ViewOptions } from './view-options.js';

/** Inputs of measuring a view. */
export interface LayoutContext {
  readonly text: TextLayouts;
  readonly fontScale: number;
  readonly nowMs: number;
}

/** The window, as its views see it. */
export interface ViewHost {
  readonly nowMs: number;
  readonly focused: View | undefined;
  /** Pixels differ. `eventful`: accessibility is notified. `layout`: sizes may differ too. */
  changed(what: { eventful: boolean; layout: boolean }): void;
  focus(view: View | undefined): void;
  /** Opens `content` beside `anchor`; a touch outside or BACK closes it. Returns the function that closes it. */
  popup(content: View, anchor: View): () => void;
}

export interface ViewTouch {
  phase: 'down' | 'move' | 'up' | 'cancel';
  /** dp from the view's top left. */
  x: number;
  y: number;
  pointer: number;
}

/** Offset (dp) and opacity of a view, relative to its layout. */
export interface Pose {
  dx: number;
  dy: number;
  alpha: number;
}

export const AT_REST: Pose = { dx: 0, dy: 0, alpha: 1 };

export type { ViewOptions } from './view-options.js';

const NO_CHILDREN: readonly View[] = [];

/** A box on the screen. Setters that change nothing do not notify, so that each revision is another picture. */
export class View {
  parent: View | undefined;
  /** The window, on the root view only. */
  hostedBy: ViewHost | undefined;
  children: readonly View[] = NO_CHILDREN;
  /** dp from the parent's top left; set by layout. */
  x = 0;
  y = 0;
  width = 0;
  height = 0;
  readonly options: ViewOptions;
  #pressed = false;
  #visible: boolean;
  #enabled: boolean;
  #selected: boolean;
  #measured: { maxWidth: number; maxHeight: number; size: Size } | undefined;
  #pose: { from: Pose; to: Pose; startMs: number; durationMs: number } | undefined;

  constructor(options: ViewOptions = {}, children: readonly View[] = NO_CHILDREN) {
    this.options = options;
    this.#visible = options.visible ?? true;
    this.#enabled = options.enabled ?? true;
    this.#selected = options.selected ?? false;
    if (children.length > 0) this.setChildren(children);
  }

  // For accessibility.

  get className(): string {
    return 'android.view.View';
  }

  /** The shown text, '' when it has none. */
  textAt(_nowMs: number): string {
    return '';
  }

  get description(): string {
    return this.options.description ?? '';
  }

  get hint(): string {
    return '';
  }

  get clickable(): boolean {
    return this.options.onClick !== undefined || this.options.onLongClick !== undefined;
  }

  get longClickable(): boolean {
    return this.options.onLongClick !== undefined;
  }

  get focusable(): boolean {
    return this.clickable;
  }

  get checkable(): boolean {
    return false;
  }

  get isChecked(): boolean {
    return false;
  }

  get scrollable(): boolean {
    return false;
  }

  get password(): boolean {
    return false;
  }

  /** Whether it takes typed text, so the keyboard comes up with the focus. */
  get editable(): boolean {
    return false;
  }

  // State.

  get visible(): boolean {
    return this.#visible;
  }

  set visible(visible: boolean) {
    if (visible === this.#visible) return;
    this.#visible = visible;
    this.forgetSizes();
    // A view inside a hidden one does not change the picture.
    if (this.parent) this.parent.changed({ layout: true });
    else this.changed({ layout: true });
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  set enabled(enabled: boolean) {
    if (enabled === this.#enabled) return;
    this.#enabled = enabled;
    this.changed();
  }

  get selected(): boolean {
    return this.#selected;
  }

  set selected(selected: boolean) {
    if (selected === this.#selected) return;
    this.#selected = selected;
    this.changed();
  }

  get pressed(): boolean {
    return this.#pressed;
  }

  set pressed(pressed: boolean) {
    if (pressed === this.#pressed) return;
    this.#pressed = pressed;
    this.changed({ eventful: false });
  }

  setChildren(children: readonly View[]): void {
    for (const child of this.children) if (child.parent === this) child.parent = undefined;
    this.children = children;
    for (const child of children) child.parent = this;
    this.changed({ layout: true });
  }

  get host(): ViewHost | undefined {
    return this.root.hostedBy;
  }

  get root(): View {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- walking up from this view
    let view: View = this;
    while (view.parent) view = view.parent;
    return view;
  }

  get focused(): boolean {
    return this.host?.focused === this;
  }

  /** Marks the view as changed; accessibility is notified unless only its look changed. */
  changed({ eventful = true, layout = false }: { eventful?: boolean; layout?: boolean } = {}): void {
    if (layout) this.forgetSizes();
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- walking up from this view
    let top: View = this;
    if (!top.#visible) return;
    while (top.parent) {
      top = top.parent;
      if (!top.#visible) return;
    }
    top.hostedBy?.changed({ eventful, layout });
  }

  /** Measures anew from here up. */
  forgetSizes(): void {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- walking up from this view
    for (let view: View | undefined = this; view; view = view.parent) view.#measured = undefined;
  }

  /** Measures everything below anew too, when the font scale or the screen is another. */
  forgetAllSizes(): void {
    this.#measured = undefined;
    for (const child of this.children) child.forgetAllSizes();
  }

  // Movement.

  /** Moves by layout-independent steps; without a host or a duration it jumps there. */
  animate(from: Pose, to: Pose, durationMs: number): void {
    const startMs = this.host?.nowMs ?? 0;
    this.#pose = { from, to, startMs, durationMs };
    this.changed({ eventful: false });
  }

  poseAt(nowMs: number): Pose {
    const pose = this.#pose;
    if (!pose) return AT_REST;
    const t = decelerate(progressAt(pose.startMs, pose.durationMs, nowMs));
    return {
      dx: pose.from.dx + (pose.to.dx - pose.from.dx) * t,
      dy: pose.from.dy + (pose.to.dy - pose.from.dy) * t,
      alpha: pose.from.alpha + (pose.to.alpha - pose.from.alpha) * t,
    };
  }

  /** The motions of this view itself, without its children. */
  motions(): readonly Motion[] {
    const pose = this.#pose;
    return pose ? [timed(pose.startMs, pose.durationMs)] : [];
  }

  /** How far the children are moved, dp: a scrolled list's is negative. */
  childShift(_nowMs: number): { x: number; y: number } {
    return { x: 0, y: 0 };
  }

  /** Whether children outside the box are hidden. */
  get clips(): boolean {
    return false;
  }

  /** Updates children for the present time (a list creates the rows in view). */
  prepare(_context: LayoutContext): void {
    // Nothing to update by default.
  }

  // Layout.

  get margin(): Insets {
    return insets(this.options.margin);
  }

  get padding(): Insets {
    return insets(this.options.padding);
  }

  measure(context: LayoutContext, maxWidth: number, maxHeight: number): Size {
    const known = this.#measured;
    if (known?.maxWidth === maxWidth && known.maxHeight === maxHeight) return known.size;
    const { width = 'wrap', height = 'wrap' } = this.options;
    const pad = this.padding;
    const roomWidth = typeof width === 'number' ? width : maxWidth;
    const roomHeight = typeof height === 'number' ? height : maxHeight;
    const across = pad.left + pad.right;
    const down = pad.top + pad.bottom;
    const content = this.measureContent(context, Math.max(0, roomWidth - across), Math.max(0, roomHeight - down));
    const size = {
      width: extent(width, content.width + across, maxWidth),
      height: extent(height, content.height + down, maxHeight),
    };
    this.#measured = { maxWidth, maxHeight, size };
    return size;
  }

  layout(context: LayoutContext, box: Rect): void {
    this.x = box.left;
    this.y = box.top;
    this.width = box.width;
    this.height = box.height;
    this.layoutContent(context);
  }

  protected measureContent(_context: LayoutContext, _maxWidth: number, _maxHeight: number): Size {
    return { width: 0, height: 0 };
  }

  protected layoutContent(_context: LayoutContext): void {
    // A plain view has nothing inside.
  }

  // Drawing.

  /** Draws the box and all in it, from the parent's origin. */
  paint(painter: Painter): void {
    if (!this.#visible) return;
    const pose = this.poseAt(painter.nowMs);
    if (pose.alpha <= 0) return;
    const { x, y } = painter;
    painter.x = x + this.x + pose.dx;
    painter.y = y + this.y + pose.dy;
    if (pose.alpha < 1) painter.fade(pose.alpha, () => this.#paintAll(painter));
    else this.#paintAll(painter);
    painter.x = x;
    painter.y = y;
  }

  #paintAll(painter: Painter): void {
    const { background, border, radius = 0 } = this.options;
    if (background !== undefined) painter.fill(0, 0, this.width, this.height, background, radius);
    if (border !== undefined) painter.outline(0, 0, this.width, this.height, border, 1, radius);
    if (this.#selected) this.paintSelection(painter);
    if (this.#pressed) this.paintPress(painter);
    this.paintContent(painter);
    if (this.children.length > 0) {
      if (this.clips) painter.clip(0, 0, this.width, this.height, () => this.#paintChildren(painter));
      else this.#paintChildren(painter);
    }
    this.paintOver(painter);
    const host = this.host;
    if (host?.focused === this && !this.editable) {
      painter.outline(0, 0, this.width, this.height, theme.primary, 2, radius);
    }
  }

  #paintChildren(painter: Painter): void {
    const shift = this.childShift(painter.nowMs);
    painter.x += shift.x;
    painter.y += shift.y;
    for (const child of this.children) {
      if (this.clips && !this.#inView(child, shift)) continue;
      child.paint(painter);
    }
    painter.x -= shift.x;
    painter.y -= shift.y;
  }

  #inView(child: View, shift: { x: number; y: number }): boolean {
    const top = child.y + shift.y;
    const left = child.x + shift.x;
    return top < this.height && top + child.height > 0 && left < this.width && left + child.width > 0;
  }

  protected paintPress(painter: Painter): void {
    painter.fill(0, 0, this.width, this.height, theme.pressed, this.options.radius ?? 0);
  }

  protected paintSelection(_painter: Painter): void {
    // Shown by the views that can be selected.
  }

  protected paintContent(_painter: Painter): void {
    // A plain view is only its background.
  }

  protected paintOver(_painter: Painter): void {
    // Scroll bars and the like.
  }

  // Input.

  /** Handles a touch. Returning true for `down` takes the touch over from the ordinary press handling. */
  touch(_event: ViewTouch): boolean {
    return false;
  }

  click(): void {
    this.options.onClick?.();
  }

  longClick(): void {
    this.options.onLongClick?.();
  }
}

function extent(wanted: Extent, content: number, most: number): number {
  if (typeof wanted === 'number') return Math.min(wanted, most);
  return wanted === 'fill' && Number.isFinite(most) ? most : Math.min(content, most);
}
