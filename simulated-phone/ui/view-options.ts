import type { Gravity, InsetsLike } from './geometry.js';
import type { TextLayouts } from './text-layout.js';

/** A size: a number of dp, as large as allowed, or as large as the content. */
export type Extent = number | 'fill' | 'wrap';

export interface ViewOptions {
  /** Resource entry: `save` shows as `com.example:id/save`. */
  id?: string;
  /** content-desc. */
  description?: string;
  /** The class that accessibility names; `android.view.View` when absent. */
  className?: string;
  /** Whether it takes taps. Absent: true for a view with `onClick` or `onLongClick`. */
  clickable?: boolean;
  /** Whether it can get the focus. Absent: as `clickable`. */
  focusable?: boolean;
  /** Whether it is checked. Absent: it cannot be checked. */
  checked?: boolean;
  /** Whether children outside the box are hidden. */
  clips?: boolean;
  width?: Extent;
  height?: Extent;
  /** The view's share of the spare room in a row or column, relative to the shares of the other views. */
  share?: number;
  margin?: InsetsLike;
  padding?: InsetsLike;
  /** Horizontal and vertical place in an overlay; top left when absent. */
  place?: readonly [Gravity, Gravity];
  background?: string;
  radius?: number;
  border?: string;
  enabled?: boolean;
  visible?: boolean;
  selected?: boolean;
  onClick?: () => void;
  onLongClick?: () => void;
}

/** Returns the size in dp for the wanted extent. */
export function sizeOf(wanted: Extent, content: number, most: number): number {
  if (typeof wanted === 'number') return Math.min(wanted, most);
  return wanted === 'fill' && Number.isFinite(most) ? most : Math.min(content, most);
}

/** The inputs for measuring a view. */
export interface LayoutContext {
  readonly text: TextLayouts;
  readonly fontScale: number;
  readonly nowMs: number;
}

export interface ViewTouch {
  phase: 'down' | 'move' | 'up' | 'cancel';
  /** The place of the touch, dp from the view's top left. */
  x: number;
  y: number;
  pointer: number;
}
