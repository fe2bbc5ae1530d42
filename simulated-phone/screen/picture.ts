import { EditField } from '../ui/edit-field.js';
import type { Rect } from '../ui/geometry.js';
import { decelerate, progressAt } from '../ui/motion.js';
import { paintView } from '../ui/paint-view.js';
import type { Painter } from '../ui/painter.js';
import { theme } from '../ui/theme.js';
import type { Passage } from './runtime-shell.js';
import type { OnScreenKeyboard } from './on-screen-keyboard.js';
import type { Overlays } from './overlays.js';
import { type BarColors, NAVIGATION_HEIGHT, paintNavigationBar, paintStatusBar, type Status } from './system-bars.js';
import type { ActivityRecord } from './tasks.js';
import type { Window } from './window.js';

/** The transition in which one activity takes another's place. */
export interface Transition {
  kind: Passage;
  /** The outgoing activity. */
  from: ActivityRecord;
  startMs: number;
  durationMs: number;
}

export interface PictureScene {
  display: Rect;
  front: ActivityRecord;
  transition: Transition | undefined;
  status: Status;
  keyboard: { keys: OnScreenKeyboard; area: Rect; startMs: number; durationMs: number } | undefined;
  dialogMs: number;
  overlays: Overlays;
  /** The notification shade, while it is open. */
  shade: Window | undefined;
  room: Rect;
}

/** Draws everything on the screen from back to front. */
export function paintPicture(painter: Painter, scene: PictureScene): void {
  const { display, front, transition } = scene;
  const moving =
    transition && painter.nowMs < transition.startMs + transition.durationMs && transition.from !== front
      ? transition
      : undefined;
  if (!moving) paintRecord(painter, front, scene);
  else {
    const progress = decelerate(progressAt(moving.startMs, moving.durationMs, painter.nowMs));
    const below = moving.kind === 'open' ? moving.from : front;
    const above = moving.kind === 'open' ? front : moving.from;
    const out = moving.kind === 'open' ? 1 - progress : progress;
    paintRecord(painter, below, scene);
    painter.fill(0, 0, display.width, display.height, `rgba(0,0,0,${(0.3 * (1 - out)).toFixed(3)})`);
    const down = moving.kind === 'home' || (moving.kind === 'open' && below.activity.edgeToEdge === true);
    shifted(painter, down ? 0 : out * display.width, down ? out * display.height : 0, () => {
      paintRecord(painter, above, scene);
    });
  }
  const colors = barColors(front);
  paintStatusBar(painter, display.width, scene.status, colors);
  const field = front.windows.at(-1)?.focused;
  if (scene.keyboard && field instanceof EditField) {
    const { keys, area, startMs, durationMs } = scene.keyboard;
    const hidden = 1 - decelerate(progressAt(startMs, durationMs, painter.nowMs));
    shifted(painter, 0, hidden * area.height, () => keys.paint(painter, area, field));
    paintNavigationBar(painter, display, { background: '#e6eaf3', ink: theme.textSoft }, true);
  } else paintNavigationBar(painter, display, colors, false);
  if (scene.shade) {
    const { shade } = scene;
    shade.bringUp();
    painter.clip(0, 0, display.width, display.height - NAVIGATION_HEIGHT, () => paintView(shade.root, painter));
  }
  scene.overlays.paint(painter, scene.room);
}

function barColors({ activity, windows }: ActivityRecord): BarColors {
  const ink = activity.barInk === 'light' ? '#ffffff' : theme.textSoft;
  const dimmed = windows.some(({ kind }) => kind === 'dialog');
  if (activity.edgeToEdge === true || dimmed) return { background: undefined, ink: dimmed ? '#ffffff' : ink };
  return { background: activity.barColor ?? theme.surface, ink };
}

function paintRecord(painter: Painter, record: ActivityRecord, scene: PictureScene): void {
  // An outgoing activity is frozen: only its position moves.
  painter.asOf(record.leftMs ?? painter.nowMs, () => {
    for (const window of record.windows) {
      window.bringUp();
      if (window.kind === 'dialog') {
        painter.fill(0, 0, scene.display.width, scene.display.height, theme.scrim);
      }
      paintWindow(painter, window, scene.dialogMs);
    }
  });
}

function paintWindow(painter: Painter, window: Window, openMs: number): void {
  const opened = progressAt(window.openedMs, openMs, painter.nowMs);
  if (window.kind === 'activity' || opened >= 1) {
    paintView(window.root, painter);
    return;
  }
  const { root } = window;
  const factor = 0.86 + 0.14 * decelerate(opened);
  painter.zoom(factor, root.x + root.width / 2, root.y + root.height / 2, () => paintView(root, painter));
}

function shifted(painter: Painter, dx: number, dy: number, draw: () => void): void {
  painter.x += dx;
  painter.y += dy;
  draw();
  painter.x -= dx;
  painter.y -= dy;
}

/** Draws an app as it looked when it was left, without motion, for the recents screen. */
export function paintPreview(
  painter: Painter,
  record: ActivityRecord,
  display: Rect,
  width: number,
  height: number,
): void {
  painter.clip(
    0,
    0,
    width,
    height,
    () => {
      painter.fill(0, 0, width, height, record.activity.barColor ?? theme.surface);
      if (record.secure) return;
      painter.shrink(width / display.width, () => {
        painter.asOf(record.leftMs ?? painter.nowMs, () => {
          for (const window of record.windows) {
            window.bringUp();
            paintView(window.root, painter);
          }
        });
      });
    },
    16,
  );
}
