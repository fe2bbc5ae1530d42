import type { TextLayouts } from './text-layout.js';

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
