import { column } from './containers.js';
import { TextView } from './text-view.js';
import type { View } from './view.js';

export interface MenuEntry {
  label: string;
  onClick: () => void;
}

/** Opens Android's menu of a long press beside a view. */
export function contextMenu(anchor: View, entries: readonly MenuEntry[]): void {
  const host = anchor.host;
  if (!host) return;
  const rows = entries.map(
    ({ label, onClick }) =>
      new TextView(label, {
        id: 'android:id/title',
        width: 'fill',
        padding: [13, 20],
        onClick: () => {
          close();
          onClick();
        },
      }),
  );
  const close = host.popup(column({ width: 'fill', padding: [8, 0] }, rows), anchor);
}
