import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, numberExtra } from './lab-page.js';

const COLORS = ['#dbe6ff', '#d8f0e4', '#fde8cf', '#f3dcf4', '#e2e5ec'] as const;

/** Shows numbered rows, as many as the extra `rows` gives (500 without it). A tap shows the number of the tapped row. */
export function longListScreen(ui: Toolkit, context: AppContext): Activity {
  const { column, overlay, badge, ListView, text, theme, listRow, page } = ui;
  const tapped = text('Nothing tapped', { id: 'tapped', size: 14, color: theme.textFaint, padding: [4, 20, 8, 20] });
  const list = new ListView({
    id: 'rows',
    count: numberExtra(context, 'rows', 500, 100_000),
    rowHeight: 68,
    width: 'fill',
    height: 'fill',
    row: (at) =>
      listRow({
        id: 'row',
        title: `Row ${at + 1}`,
        detail: `This is row number ${at + 1}`,
        leading: badge({ letter: String((at + 1) % 10) }, { color: COLORS[at % COLORS.length] ?? COLORS[0] }),
        onClick: () => {
          tapped.text = `Row ${at + 1} tapped`;
        },
        onLongClick: () => {
          tapped.text = `Row ${at + 1} held`;
        },
      }),
  });
  return {
    content: page({
      title: 'Long list',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [tapped, overlay({ width: 'fill', share: 1 }, [list])]),
    }),
  };
}

/** Shows strips that scroll sideways inside a page that scrolls down. A small list in the middle scrolls by itself. */
export function nestedScrollScreen(ui: Toolkit, context: AppContext): Activity {
  const { row, ListView, scroll, text, theme } = ui;
  const strip = (group: number): View =>
    scroll(
      { id: `strip_${group}`, axis: 'horizontal', width: 'fill' },
      row(
        { gap: 12 },
        Array.from({ length: 12 }, (_, at) => card(ui, context, group, at)),
      ),
    );
  const inner = new ListView({
    id: 'inner_list',
    count: 40,
    rowHeight: 48,
    width: 'fill',
    height: 192,
    background: theme.surfaceLow,
    radius: 12,
    row: (at) => text(`Inner row ${at + 1}`, { padding: [0, 16], onClick: () => context.toast(`Inner row ${at + 1}`) }),
  });
  const groups = Array.from({ length: 6 }, (_, at) => [
    text(`Group ${at + 1}`, { size: 18, weight: 500 }),
    strip(at + 1),
  ]).flat();
  return { content: labPage(ui, context, 'Nested scroll', [...groups.slice(0, 4), inner, ...groups.slice(4)]) };
}

function card({ column, text }: Toolkit, context: AppContext, group: number, at: number): View {
  const name = `Card ${group}.${at + 1}`;
  return column(
    {
      width: 112,
      height: 96,
      radius: 14,
      padding: 12,
      background: COLORS[(group + at) % COLORS.length] ?? COLORS[0],
      onClick: () => context.toast(name),
    },
    [text(name, { size: 15, weight: 500 })],
  );
}
