import type { Drawing } from '../ui/drawing.js';
import { EditField } from '../ui/edit-field.js';
import type { Rect } from '../ui/geometry.js';
import { timed, type Motion } from '../ui/motion.js';
import { ScrollBase } from '../ui/scroll.js';
import type { LayoutContext, View, ViewHost } from '../ui/view.js';
import { eachVisible, placed, type VisibleView } from '../ui/visible-views.js';
import { Decor } from './decor.js';

/** The kinds of windows. `shade`: a window of the system, over all of the display except the navigation bar. */
export type WindowKind = 'activity' | 'dialog' | 'popup' | 'shade';

/** The screen, as its windows use it. */
export interface WindowManager {
  readonly drawing: Drawing;
  nowMs(): number;
  fontScale(): number;
  /** The whole display, dp. */
  display(): Rect;
  /** Returns where a window of this kind may be, dp. */
  roomFor(window: Window): Rect;
  /** Returns how much of a window bars and keyboard cover at its top and bottom, dp. */
  coverOf(window: Window): { top: number; bottom: number };
  windowChanged(window: Window, eventful: boolean): void;
  focusChanged(window: Window): void;
  openPopup(owner: Window, content: View, anchor: Rect): () => void;
}

export interface WindowOptions {
  manager: WindowManager;
  kind: WindowKind;
  package: string;
  root: View;
  /** The box of a popup's anchor, dp on the display. */
  anchor?: Rect;
  /** Is called when a touch outside or BACK dismisses it. Absent: these do not dismiss it. */
  onDismiss?: () => void;
}

/** The number of windows that were made in this process, so that each gets another token. */
let windowsMade = 0;

/** A tree of views with its own focus: that of an activity, a dialog or a drop-down list. */
export class Window implements ViewHost {
  readonly kind: WindowKind;
  readonly package: string;
  readonly root: View;
  readonly anchor: Rect | undefined;
  readonly onDismiss: (() => void) | undefined;
  readonly openedMs: number;
  /** Its identity in `dumpsys window`: seven hexadecimal digits, as clients match them. */
  readonly token = ((0x1a2b3c4 + windowsMade++ * 0x51ed27) & 0xfffffff).toString(16).padStart(7, '0');
  /** Whether BACK has hidden the keyboard although a field has the focus. */
  keyboardHidden = false;
  readonly #manager: WindowManager;
  #focused: View | undefined;
  #laidOutIn: Rect | undefined;
  #stale = true;

  constructor({ manager, kind, package: packageName, root, anchor, onDismiss }: WindowOptions) {
    this.#manager = manager;
    this.kind = kind;
    this.package = packageName;
    this.root = root;
    this.anchor = anchor;
    this.onDismiss = onDismiss;
    this.openedMs = manager.nowMs();
    root.hostedBy = this;
  }

  get nowMs(): number {
    return this.#manager.nowMs();
  }

  get focused(): View | undefined {
    return this.#focused;
  }

  changed({ eventful, layout }: { eventful: boolean; layout: boolean }): void {
    if (layout) this.#stale = true;
    this.#manager.windowChanged(this, eventful);
  }

  focus(view: View | undefined): void {
    const before = this.#focused;
    this.keyboardHidden = false;
    this.#focused = view;
    if (view !== before) {
      this.#stale = true;
      this.#manager.focusChanged(this);
    }
  }

  popup(content: View, anchor: View): () => void {
    const at = this.find(anchor);
    return this.#manager.openPopup(this, content, at?.box ?? this.#manager.roomFor(this));
  }

  /** Measures everything again, after a change of the font scale or of the display. */
  forgetSizes(): void {
    this.root.forgetAllSizes();
    this.#stale = true;
  }

  /** Lays out changed views and makes the list rows that are in view now. */
  bringUp(): void {
    const room = this.#manager.roomFor(this);
    const context = this.#context;
    const box = this.#laidOutIn;
    const moved =
      box?.left !== room.left || box.top !== room.top || box.width !== room.width || box.height !== room.height;
    const cover = this.#manager.coverOf(this);
    const covered = this.root instanceof Decor && this.root.cover(cover.top, cover.bottom);
    if (this.#stale || moved || covered) {
      this.#stale = false;
      this.#laidOutIn = room;
      this.root.layout(context, this.#boxIn(room, context));
      this.#revealFocus(context);
    }
    eachVisible(this.placedRoot, this.clip, context.nowMs, ({ view }) => {
      view.prepare(context);
      return true;
    });
  }

  get placedRoot(): VisibleView {
    return placed(this.root, { x: 0, y: 0 }, this.clip, this.nowMs);
  }

  /** The display, dp: nothing beyond it can be seen. */
  get clip(): Rect {
    return this.#manager.display();
  }

  get #context(): LayoutContext {
    const manager = this.#manager;
    return { text: manager.drawing.text, fontScale: manager.fontScale(), nowMs: manager.nowMs() };
  }

  find(wanted: View): VisibleView | undefined {
    let found: VisibleView | undefined;
    eachVisible(this.placedRoot, this.clip, this.nowMs, (seen) => {
      if (seen.view === wanted) found = seen;
      return found === undefined;
    });
    return found;
  }

  /** Returns the focusable views in reading order. */
  focusables(): VisibleView[] {
    const all: VisibleView[] = [];
    eachVisible(this.placedRoot, this.clip, this.nowMs, (seen) => {
      const { view } = seen;
      if (view.enabled && (view.clickable || view.editable)) all.push(seen);
      return true;
    });
    return all;
  }

  /** Adds everything on the window that moves with time. */
  motions(into: Motion[], openMs: number): void {
    if (openMs > 0) into.push(timed(this.openedMs, openMs));
    eachVisible(this.placedRoot, this.clip, this.nowMs, ({ view }) => {
      into.push(...view.motions());
      return true;
    });
  }

  #boxIn(room: Rect, context: LayoutContext): Rect {
    if (this.kind === 'activity' || this.kind === 'shade') return room;
    const most = this.kind === 'dialog' ? Math.min(room.width - 48, 340) : Math.min(room.width - 16, 320);
    const size = this.root.measure(context, most, room.height - 32);
    if (this.kind === 'dialog' || !this.anchor) {
      const left = room.left + (room.width - size.width) / 2;
      return { left, top: room.top + (room.height - size.height) / 2, ...size };
    }
    const { anchor } = this;
    const left = Math.max(room.left + 8, Math.min(anchor.left, room.left + room.width - size.width - 8));
    const below = anchor.top + anchor.height + 2;
    const fits = below + size.height <= room.top + room.height - 8;
    const top = fits ? below : Math.max(room.top + 8, Math.min(anchor.top, room.top + room.height - size.height - 8));
    return { left, top, ...size };
  }

  /** Scrolls a field that gets the focus to a place above the keyboard. */
  #revealFocus(context: LayoutContext): void {
    const view = this.#focused;
    if (!view) return;
    if (view.root !== this.root) {
      // The field was removed from the tree; an invisible focus would keep the keyboard shown.
      this.#focused = undefined;
      this.#manager.focusChanged(this);
      return;
    }
    let band = bandOf(view, context);
    for (let inner = view; inner.parent; inner = inner.parent) {
      const { parent } = inner;
      band = { top: band.top + inner.y, bottom: band.bottom + inner.y };
      if (parent instanceof ScrollBase && parent.axis === 'vertical') {
        parent.reveal(band.top - 8, band.bottom + 8);
        const { offset } = parent;
        band = { top: band.top - offset, bottom: band.bottom - offset };
      }
    }
  }
}

function bandOf(view: View, context: LayoutContext): { top: number; bottom: number } {
  if (view instanceof EditField) return view.caretBand(context.text, context.fontScale);
  return { top: 0, bottom: view.height };
}
