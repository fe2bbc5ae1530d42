import { contains, intersect, type Rect } from './geometry.js';
import type { View } from './view.js';

export interface VisibleView {
  view: View;
  /** The whole box on the display, dp. */
  box: Rect;
  /** The part that is on the display and not clipped away by parents, dp. Its area is 0 when there is no such part. */
  shown: Rect;
}

/** Returns a view with its place on the display. `origin` is the corner of its parent's content, which scrolls. */
export function placed(view: View, origin: { x: number; y: number }, clip: Rect, nowMs: number): VisibleView {
  const pose = view.poseAt(nowMs);
  const box: Rect = {
    left: origin.x + view.x + pose.dx,
    top: origin.y + view.y + pose.dy,
    width: view.width,
    height: view.height,
  };
  return { view, box, shown: intersect(box, clip) };
}

/** Returns the children in drawing order, each with its place on the display. */
export function placedChildren(parent: VisibleView, clip: Rect, nowMs: number): VisibleView[] {
  const { view, box, shown } = parent;
  const shift = view.childShift(nowMs);
  const inner = view.clips ? shown : clip;
  return view.children.map((child) => placed(child, { x: box.left + shift.x, y: box.top + shift.y }, inner, nowMs));
}

export function isSeen({ view, shown }: VisibleView, nowMs: number): boolean {
  return view.visible && shown.width > 0 && shown.height > 0 && view.poseAt(nowMs).alpha > 0;
}

/** Visits the visible views, parents first. `visit` returns false to skip the children. */
export function eachVisible(
  root: VisibleView,
  clip: Rect,
  nowMs: number,
  visit: (seen: VisibleView) => boolean | undefined,
): void {
  if (!isSeen(root, nowMs) || visit(root) === false) return;
  const inner = root.view.clips ? root.shown : clip;
  for (const child of placedChildren(root, clip, nowMs)) eachVisible(child, inner, nowMs, visit);
}

/** Returns the views under a point from the root to the innermost, the topmost first among siblings. */
export function viewsAt(root: VisibleView, clip: Rect, x: number, y: number, nowMs: number): VisibleView[] {
  if (!isSeen(root, nowMs) || !contains(root.shown, x, y)) return [];
  const inner = root.view.clips ? root.shown : clip;
  for (const child of placedChildren(root, clip, nowMs).reverse()) {
    const path = viewsAt(child, inner, x, y, nowMs);
    if (path.length > 0) return [root, ...path];
  }
  return [root];
}
