import { row } from '../ui/containers.js';
import type { EditField } from '../ui/edit-field.js';
import { text } from '../ui/text-view.js';
import type { Window } from './window.js';

/** Text that COPY stores and PASTE types. */
export interface Clipboard {
  text: string;
}

/**
 * Selects the text of a field that is pressed long and opens Android's floating toolbar over it. Passwords are not copied. A toolbar
 * without entries does not open.
 */
export function textMenu(window: Window, field: EditField, clipboard: Clipboard): void {
  field.edit((edit) => edit.selectAll());
  const hasSelection = field.selectedText !== '';
  const entries: [label: string, isPossible: boolean, act: () => unknown][] = [
    [
      'Cut',
      hasSelection && !field.password,
      () => {
        clipboard.text = field.selectedText;
        field.edit((edit) => edit.deleteBefore());
      },
    ],
    ['Copy', hasSelection && !field.password, () => (clipboard.text = field.selectedText)],
    ['Paste', clipboard.text !== '', () => field.type(clipboard.text)],
    ['Select all', hasSelection, () => field.edit((edit) => edit.selectAll())],
  ];
  const items = entries.flatMap(([label, isPossible, act]) =>
    isPossible
      ? [
          text(label, {
            id: 'android:id/floating_toolbar_menu_item_text',
            size: 14,
            weight: 500,
            padding: [12, 14],
            onClick: () => {
              close();
              act();
            },
          }),
        ]
      : [],
  );
  if (items.length === 0) return;
  const close = window.popup(row({ id: 'android:id/floating_toolbar_menu_item', justify: 'center' }, items), field);
}
