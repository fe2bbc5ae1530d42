import { insets, type Insets, type Rect, type Size } from './geometry.js';
import type { Motion } from './motion.js';
import { AT_REST, type Pose, PoseChange } from './pose.js';
import type { Painter } from './painter.js';
import { theme } from './theme.js';
import { sizeOf, type LayoutContext, type ViewOptions, type ViewTouch } from './view-options.js';

export { AT_REST } from './pose.js';
export type { LayoutContext, ViewOptions, ViewTouch } from './view-options.js';

/** The parts of a window that its views use. */
export interface ViewHost {
  readonly nowMs: number;
  readonly focused: View | undefined;
  /** Views call this when their pixels changed. `eventful`: accessibility is notified. `layout`: sizes may have changed too. */
  changed(what: { eventful: boolean; layout: boolean }): void;
  focus(view: View | undefined): void;
  /** Opens `content` beside `anchor`; a touch outside or BACK closes it. Returns the function that closes it. */
  popup(content: View, anchor: View): () => void;
}

const NO_CHILDREN: readonly View[] = [];

/** A box on the screen. Setters that change nothing do not notify, so that each revision is another picture. */
export class View {
  parent: View | undefined;
  /** The window, on the root view only. */
  hostedBy: ViewHost | undefined;
  children: readonly View[] = NO_CHILDREN;
  /** The place, dp from the parent's top left, which the layout sets. */
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
  #pose: PoseChange | undefined;

  constructor(options: ViewOptions = {}, children: readonly View[] = NO_CHILDREN) {
    this.options = options;
    this.#visible = options.visible ?? true;
    this.#enabled = options.enabled ?? true;
    this.#selected = options.selected ?? false;
    if (children.length > 0) this.setChildren(children);
  }

  // The part for accessibility.

  get className(): string {
    return this.options.className ?? 'android.view.View';
  }

  /** Returns the shown text; empty when there is none. */
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
    const { clickable, onClick, onLongClick } = this.options;
    return clickable ?? (onClick !== undefined || onLongClick !== undefined);
  }

  get longClickable(): boolean {
    return this.options.onLongClick !== undefined;
  }

  get focusable(): boolean {
    return this.options.focusable ?? this.clickable;
  }

  get checkable(): boolean {
    return this.options.checked !== undefined;
  }

  get checked(): boolean {
    return this.options.checked ?? false;
  }

  get scrollable(): boolean {
    return false;
  }

  get password(): boolean {
    return false;
  }

  /** Whether the view takes typed text. If so, the keyboard opens when the view gets the focus. */
  get editable(): boolean {
    return false;
  }

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
    return this.parent?.root ?? this;
  }

  get focused(): boolean {
    return this.host?.focused === this;
  }

  /** Marks the view as changed; accessibility is notified unless only its appearance changed. */
  changed({ eventful = true, layout = false }: { eventful?: boolean; layout?: boolean } = {}): void {
    if (layout) this.forgetSizes();
    if (this.#isShown) this.host?.changed({ eventful, layout });
  }

  get #isShown(): boolean {
    return this.#visible && (this.parent === undefined || this.parent.#isShown);
  }

  /** Makes this view and those around it be measured again. */
  forgetSizes(): void {
    this.#measured = undefined;
    this.parent?.forgetSizes();
  }

  /** Makes this view and all views in it be measured again, after the font scale or the screen changed. */
  forgetAllSizes(): void {
    this.#measured = undefined;
    for (const child of this.children) child.forgetAllSizes();
  }

  // The part for movement.

  /** Moves the view from one pose to another, without a layout. Without a host or a duration, the view takes the second pose at once. */
  animate(from: Pose, to: Pose, durationMs: number): void {
    this.#pose = new PoseChange(from, to, this.host?.nowMs ?? 0, durationMs);
    this.changed({ eventful: false });
  }

  poseAt(nowMs: number): Pose {
    return this.#pose?.at(nowMs) ?? AT_REST;
  }

  /** Returns the motions of this view itself, without its children. */
  motions(): readonly Motion[] {
    return this.#pose ? [this.#pose.motion] : [];
  }

  /** Returns how far the children are moved, dp; for a scrolled list it is negative. */
  childShift(_nowMs: number): { x: number; y: number } {
    return { x: 0, y: 0 };
  }

  get clips(): boolean {
    return this.options.clips ?? false;
  }

  /** Updates children for the present time (a list creates the rows in view). */
  prepare(_context: LayoutContext): void {
    // Nothing to update by default.
  }

  // The part for layout.

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
      width: sizeOf(width, content.width + across, maxWidth),
      height: sizeOf(height, content.height + down, maxHeight),
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
    // A plain view has no content.
  }

  // The part for drawing, which paint-view.ts uses.

  /** Shows that a finger presses the view. */
  paintPress(painter: Painter): void {
    painter.fill(0, 0, this.width, this.height, theme.pressed, this.options.radius ?? 0);
  }

  /** Draws the layer over its background and below its children. */
  paintContent(_painter: Painter): void {
    // A plain view is only its background.
  }

  /** Draws the layer above its children. */
  paintOver(_painter: Painter): void {
    // Views with scroll bars and the like draw here.
  }

  // The part for input.

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
