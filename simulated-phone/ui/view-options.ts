import type { Gravity, InsetsLike } from './geometry.js';
import type { TextLayouts } from './text-layout.js';

/** dp, or as large as allowed, or as large as the content. */
export type Extent = number | 'fill' | 'wrap';

export interface ViewOptions {
  /** Resource entry: `save` shows as `com.example:id/save`. */
  id?: string;
  /** content-desc. */
  description?: string;
  /** The class that accessibility names; `android.view.View` when absent. */
  className?: string;
  /** True when absent for a view with `onClick` or `onLongClick`. */
  clickable?: boolean;
  /** As `clickable` when absent. */
  focusable?: boolean;
  /** Absent: it cannot be checked. */
  checked?: boolean;
  /** Whether children outside the box are hidden. */
  clips?: boolean;
  width?: Extent;
  height?: Extent;
  /** Share of the spare room of a row or column, relative to the other views' weights. */
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

/** The size, dp, for a wanted one. */
export function sizeOf(wanted: Extent, content: number, most: number): number {
  if (typeof wanted === 'number') return Math.min(wanted, most);
  return wanted === 'fill' && Number.isFinite(most) ? most : Math.min(content, most);
}

/** Inputs of measuring a view. */
export interface LayoutContext {
  readonly text: TextLayouts;
  readonly fontScale: number;
  readonly nowMs: number;
}

export interface ViewTouch {
  phase: 'down' | 'move' | 'up' | 'cancel';
  /** dp from the view's top left. */
  x: number;
  y: number;
  pointer: number;
}
