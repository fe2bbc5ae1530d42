import type { Painter } from './painter.js';
import { theme } from './theme.js';
import type { View } from './view.js';

/** Draws a view and the views inside it at their present places. The painter's origin is that of the view's parent. */
export function paintView(view: View, painter: Painter): void {
  if (!view.visible) return;
  const pose = view.poseAt(painter.nowMs);
  if (pose.alpha <= 0) return;
  const { x, y } = painter;
  painter.x = x + view.x + pose.dx;
  painter.y = y + view.y + pose.dy;
  if (pose.alpha < 1) painter.fade(pose.alpha, () => paintAll(view, painter));
  else paintAll(view, painter);
  painter.x = x;
  painter.y = y;
}

function paintAll(view: View, painter: Painter): void {
  const { width, height } = view;
  const { background, border, radius = 0 } = view.options;
  if (background !== undefined) painter.fill(0, 0, width, height, background, radius);
  if (border !== undefined) painter.outline(0, 0, width, height, border, 1, radius);
  if (view.pressed) view.paintPress(painter);
  view.paintContent(painter);
  if (view.children.length > 0) {
    if (view.clips) painter.clip(0, 0, width, height, () => paintChildren(view, painter));
    else paintChildren(view, painter);
  }
  view.paintOver(painter);
  if (view.focused && !view.editable) painter.outline(0, 0, width, height, theme.primary, 2, radius);
}

function paintChildren(view: View, painter: Painter): void {
  const shift = view.childShift(painter.nowMs);
  painter.x += shift.x;
  painter.y += shift.y;
  for (const child of view.children) {
    if (view.clips && !isInView(view, child, shift)) continue;
    paintView(child, painter);
  }
  painter.x -= shift.x;
  painter.y -= shift.y;
}

function isInView({ width, height }: View, child: View, shift: { x: number; y: number }): boolean {
  const top = child.y + shift.y;
  const left = child.x + shift.x;
  return top < height && top + child.height > 0 && left < width && left + child.width > 0;
}
