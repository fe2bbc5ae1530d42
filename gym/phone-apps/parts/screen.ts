import type { AppContext } from '../../../simulated-phone/apps/app.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

/** Returns a screen whose content scrolls, under a title. */
export function screen(ui: Toolkit, context: AppContext, title: string, views: readonly View[], isRoot = false): View {
  const { column, page, scroll } = ui;
  return page({
    title,
    ...(!isRoot && { onUp: () => context.finish() }),
    body: scroll(
      { id: 'scroll', width: 'fill', share: 1 },
      column({ width: 'fill', padding: [8, 20, 28, 20], gap: 10 }, views),
    ),
  });
}

/** Returns a button as wide as the screen. */
export function wide({ button }: Toolkit, label: string, onClick: () => void): View {
  return button(label, { id: idOf(label), width: 'fill', kind: 'tonal', onClick });
}

/** A list whose rows are made when they come into view. */
export function longList<T>(
  ui: Toolkit,
  rowOf: (item: T) => { title: string; detail?: string; onClick?: () => void; onLongClick?: (row: View) => void },
): { view: View; show: (items: readonly T[]) => void } {
  const { column, listRow, ListView } = ui;
  let items: readonly T[] = [];
  const list = new ListView({
    ...{ id: 'rows', count: 0, rowHeight: 68, width: 'fill', height: 'fill' },
    row: (at) => {
      const item = items[at];
      if (item === undefined) return column({}, []);
      const { onLongClick, ...given } = rowOf(item);
      const row: View = listRow({
        id: 'row',
        lines: 1,
        ...given,
        ...(onLongClick && { onLongClick: () => onLongClick(row) }),
      });
      return row;
    },
  });
  const show = (found: readonly T[]): void => {
    items = found;
    list.refresh(found.length);
  };
  return { view: list, show };
}

function idOf(label: string): string {
  return label.toLowerCase().replace(/[^a-z0-9]+/g, '_') || 'button';
}
