import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage } from './lab-page.js';

/** Returns a screen with rows and a date field. A long press on a row opens a menu, and a swipe removes the row. */
export function gesturesScreen(ui: Toolkit, context: AppContext): Activity {
  const { column, contextMenu, swipeAway, text, theme, dateField } = ui;
  let names = ['Apples', 'Bread', 'Cheese', 'Dates', 'Eggs'];
  const state = text('Nothing yet', { id: 'state', color: theme.textSoft });
  const say = (words: string): void => {
    state.text = words;
  };
  const rows = column({ id: 'rows', width: 'fill', gap: 8 }, []);
  const remove = (name: string, how: string): void => {
    names = names.filter((other) => other !== name);
    say(`${name} ${how}`);
    show();
  };
  const rowOf = (name: string): View => {
    const label = text(name, {
      id: 'row_title',
      width: 'fill',
      padding: [14, 18],
      radius: 12,
      background: theme.card,
      border: theme.divider,
    });
    const row: View = swipeAway(
      {
        id: 'row',
        width: 'fill',
        onClick: () => say(`${name} tapped`),
        onLongClick: () =>
          contextMenu(row, [
            { label: 'Mark', onClick: () => say(`${name} marked`) },
            { label: 'Delete', onClick: () => remove(name, 'deleted') },
          ]),
        onSwiped: () => remove(name, 'swiped away'),
      },
      label,
    );
    return row;
  };
  const show = (): void => rows.setChildren(names.map(rowOf));
  show();
  const date = dateField(context, {
    id: 'date',
    description: 'Date',
    value: { year: 2026, month: 11, day: 22 },
    onChange: ({ year, month, day }) =>
      say(`Date ${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`),
  });
  return { content: labPage(ui, context, 'Gestures', [state, date, rows]) };
}
