import { button } from '../ui/button.js';
import { column, overlay, row } from '../ui/containers.js';
import { DragView, swipeAway } from '../ui/drag-view.js';
import { picture } from '../ui/image-view.js';
import type { Painter } from '../ui/painter.js';
import { scroll } from '../ui/scroll.js';
import { text } from '../ui/text-view.js';
import type { View } from '../ui/view.js';
import type { PhoneNotification } from './notifications.js';
import { quickTile, type QuickTile } from './quick-tile.js';

const UI = 'com.android.systemui:id';
const CARD = '#2b2f36';
const INK = '#f2f4f8';
const SOFT = '#b9c0cc';

export interface ShadeContent {
  time: string;
  date: string;
  tiles: readonly QuickTile[];
  notifications: readonly PhoneNotification[];
  labelOf(packageName: string): string;
  timeOf(notification: PhoneNotification): string;
  drawIconOf(packageName: string, painter: Painter, size: number): void;
  onOpen(notification: PhoneNotification): void;
  onDismiss(notification: PhoneNotification): void;
  onClearAll(): void;
  onClose(): void;
}

/** How far a finger moves up to push the shade away, dp. */
const PUSHED_DP = 40;

/** Returns the notification shade. It has the resource ids of Android's own, so that clients which search for them find them. */
export function shadeView(content: ShadeContent): View {
  const { notifications } = content;
  const head = row({ width: 'fill', justify: 'start', align: 'end', gap: 10, padding: [0, 6] }, [
    text(content.time, { id: `${UI}/clock`, size: 30, color: INK }),
    text(content.date, { id: `${UI}/date`, size: 14, color: SOFT, padding: [0, 0, 5, 0] }),
  ]);
  const tiles = row({ id: `${UI}/quick_qs_panel`, width: 'fill', gap: 8 }, content.tiles.map(quickTile));
  const rows = notifications.map((notification) => notificationRow(notification, content));
  const empty = text('No notifications', {
    id: `${UI}/no_notifications`,
    size: 15,
    color: SOFT,
    width: 'fill',
    align: 'center',
    padding: [24, 0],
    visible: rows.length === 0,
  });
  const clear = button('Clear all', {
    id: `${UI}/dismiss_text`,
    description: 'Clear all notifications.',
    kind: 'tonal',
    visible: rows.length > 0,
    onClick: () => content.onClearAll(),
  });
  const stack = column({ id: `${UI}/notification_stack_scroller`, width: 'fill', gap: 8 }, [...rows, empty]);
  const all = column({ width: 'fill', height: 'fill', padding: [36, 14, 12, 14], gap: 14 }, [
    head,
    tiles,
    scroll({ width: 'fill', share: 1 }, stack),
    row({ width: 'fill', justify: 'end' }, [clear]),
  ]);
  const panel = overlay(
    { id: `${UI}/notification_panel`, width: 'fill', height: 'fill', onClick: () => content.onClose() },
    [all],
  );
  const pushed = new DragView(
    {
      id: `${UI}/notification_shade_window`,
      width: 'fill',
      height: 'fill',
      background: '#14171d',
      axis: 'vertical',
      follows: false,
      only: -1,
      onLetGo: (dragged) => {
        if (dragged < -PUSHED_DP) content.onClose();
      },
    },
    panel,
  );
  return pushed;
}

function notificationRow(notification: PhoneNotification, content: ShadeContent): View {
  const { package: name, title, text: words } = notification;
  const icon = picture({
    id: 'android:id/icon',
    width: 20,
    height: 20,
    draw: (painter, size) => content.drawIconOf(name, painter, size),
  });
  const head = row({ id: 'android:id/notification_header', width: 'fill', align: 'center', gap: 8 }, [
    icon,
    text(content.labelOf(name), { id: 'android:id/app_name_text', size: 12.5, color: SOFT, maxLines: 1 }),
    text(content.timeOf(notification), { id: 'android:id/time', size: 12.5, color: SOFT }),
  ]);
  const card = column(
    {
      id: 'android:id/status_bar_latest_event_content',
      width: 'fill',
      background: CARD,
      radius: 18,
      padding: [12, 16],
      gap: 3,
    },
    [
      head,
      text(title, { id: 'android:id/title', size: 15, weight: 500, color: INK, maxLines: 1, width: 'fill' }),
      text(words, { id: 'android:id/text', size: 14, color: SOFT, maxLines: 3, width: 'fill' }),
    ],
  );
  return swipeAway(
    {
      id: `${UI}/expandableNotificationRow`,
      width: 'fill',
      onClick: () => content.onOpen(notification),
      onSwiped: () => content.onDismiss(notification),
    },
    card,
  );
}
