import type { DialogOptions } from '../apps/app.js';
import { button } from '../ui/button.js';
import { column, row } from '../ui/containers.js';
import { text } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import type { View } from '../ui/view.js';

/** Returns an alert as Android builds it. The last button is the one to agree with, `android:id/button1`. */
export function dialogView(options: DialogOptions, close: () => void): View {
  const parts: View[] = [];
  if (options.title !== undefined)
    parts.push(text(options.title, { id: 'android:id/alertTitle', size: 21, weight: 500 }));
  if (options.message !== undefined) {
    parts.push(text(options.message, { id: 'android:id/message', size: 15, color: theme.textSoft }));
  }
  if (options.content) parts.push(options.content);
  const count = options.buttons.length;
  const buttons = options.buttons.map(({ label, id, kind = 'text', onClick }, at) =>
    button(label, {
      id: id ?? `android:id/button${count - at}`,
      kind,
      onClick: () => {
        close();
        onClick?.();
      },
    }),
  );
  parts.push(row({ id: 'buttonPanel', width: 'fill', justify: 'end', gap: 8, margin: [8, 0, 0, 0] }, buttons));
  return column({ width: 'fill', padding: [22, 20, 14, 24], gap: 14, background: theme.card, radius: 26 }, parts);
}
