import { column, overlay, row } from '../../ui/containers.js';
import { badge } from '../../ui/image-view.js';
import { ListView } from '../../ui/list.js';
import { scroll } from '../../ui/scroll.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { page } from '../page.js';
import { labPage, numberExtra } from './lab-page.js';

const COLORS = ['#dbe6ff', '#d8f0e4', '#fde8cf', '#f3dcf4', '#e2e5ec'] as const;

/** `rows` (500) rows, each with its number; a tap on one shows which it was. */
export function longListScreen(context: AppContext): Activity {
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

/** Strips that scroll sideways inside a page that scrolls down, with a small list of its own in the middle. */
export function nestedScrollScreen(context: AppContext): Activity {
  const strip = (group: number): View =>
    scroll(
      { id: `strip_${group}`, axis: 'horizontal', width: 'fill' },
      row(
        { gap: 12 },
        Array.from({ length: 12 }, (_, at) => card(context, group, at)),
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
  return { content: labPage(context, 'Nested scroll', [...groups.slice(0, 4), inner, ...groups.slice(4)]) };
}

function card(context: AppContext, group: number, at: number): View {
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
