import { column, overlay, row } from '../../ui/containers.js';
import { contextMenu } from '../../ui/context-menu.js';
import { scroll, type ScrollView } from '../../ui/scroll.js';
import { LiveDate } from './live-date.js';
import { View, type LayoutContext } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { AppCell } from './app-cell.js';
import { PageDots } from './page-dots.js';
import { WALLPAPER_COLOR, wallpaper } from './wallpaper.js';

export interface LauncherEntry {
  package: string;
  label: string;
}

/** The apps in the dock, in this order, when installed. */
const DOCK = ['com.cloudphone.messages', 'com.cloudphone.browser', 'com.cloudphone.notes', 'com.cloudphone.settings'];
const CELL_HEIGHT = 96;
const ICON = 52;

const APP_INFO = { component: 'com.cloudphone.settings/.AppInfo' };

/** Returns the home screen: pages of icons over a wallpaper, and a dock. */
export function homeActivity(context: AppContext, entries: () => readonly LauncherEntry[]): Activity {
  const pages = new Pages();
  const pager: ScrollView = scroll(
    { id: 'workspace', axis: 'horizontal', paged: true, width: 'fill', share: 1 },
    pages,
  );
  const dots = new PageDots(pager);
  const dock = row({ id: 'hotseat', width: 'fill', justify: 'center', padding: [6, 8, 8, 8] }, []);
  const header = new LiveDate(context, { padding: [30, 22, 12, 22], width: 'fill' });
  const content = overlay({ width: 'fill', height: 'fill' }, [
    wallpaper(),
    column({ width: 'fill', height: 'fill', padding: [28, 0, 44, 0] }, [header, pager, dots, dock]),
  ]);

  const cell = (entry: LauncherEntry, labelled: boolean): AppCell => {
    const open = (): void => context.open({ package: entry.package });
    const made: AppCell = new AppCell({
      label: entry.label,
      labelled,
      iconSize: ICON,
      drawIcon: (painter, size) => context.drawIconOf(entry.package, painter, size),
      onClick: open,
      onLongClick: () =>
        contextMenu(made, [
          { label: 'Open', onClick: open },
          { label: 'App info', onClick: () => context.open(APP_INFO, { package: entry.package }) },
        ]),
    });
    return made;
  };

  let shown = '';
  const refresh = (): void => {
    const all = [...entries()].sort((a, b) => a.label.localeCompare(b.label));
    const key = all.map((entry) => `${entry.package} ${entry.label}`).join('\n');
    if (key === shown) return;
    shown = key;
    const docked = DOCK.flatMap((name) => all.filter((entry) => entry.package === name));
    dock.setChildren(docked.map((entry) => overlay({ share: 1, height: ICON + 12 }, [cell(entry, false)])));
    pages.setCells(all.filter((entry) => !DOCK.includes(entry.package)).map((entry) => cell(entry, true)));
  };
  refresh();
  return {
    content,
    edgeToEdge: true,
    barColor: WALLPAPER_COLOR,
    barInk: 'light',
    onResume: () => {
      refresh();
      pager.slide(0);
    },
  };
}

/** Cells in as many pages as they need, side by side. */
class Pages extends View {
  #cells: readonly AppCell[] = [];

  constructor() {
    super({ className: 'android.view.ViewGroup' });
  }

  setCells(cells: readonly AppCell[]): void {
    this.#cells = cells;
    this.setChildren(cells);
  }

  #grid(width: number, height: number): { columns: number; rows: number; pages: number } {
    const columns = Math.max(4, Math.floor(width / 110));
    const rows = Math.max(1, Math.floor(height / CELL_HEIGHT));
    return { columns, rows, pages: Math.max(1, Math.ceil(this.#cells.length / (columns * rows))) };
  }

  override measure(_context: LayoutContext, _maxWidth: number, maxHeight: number): { width: number; height: number } {
    const width = this.#pageWidth;
    return { width: width * this.#grid(width, maxHeight).pages, height: maxHeight };
  }

  get #pageWidth(): number {
    return this.parent?.width ?? 0;
  }

  protected override layoutContent(context: LayoutContext): void {
    const page = { width: this.#pageWidth, height: this.height };
    const { columns, rows } = this.#grid(page.width, page.height);
    const pad = 10;
    const cellWidth = (page.width - 2 * pad) / columns;
    this.#cells.forEach((cell, at) => {
      const pageAt = Math.floor(at / (columns * rows));
      const place = at % (columns * rows);
      const size = cell.measure(context, cellWidth, Math.min(CELL_HEIGHT, page.height));
      cell.layout(context, {
        left: pageAt * page.width + pad + (place % columns) * cellWidth + (cellWidth - size.width) / 2,
        top: Math.floor(place / columns) * CELL_HEIGHT,
        ...size,
      });
    });
  }
}
