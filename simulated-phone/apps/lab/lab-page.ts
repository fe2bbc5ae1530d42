import { button } from '../../ui/button.js';
import { column } from '../../ui/containers.js';
import { scroll } from '../../ui/scroll.js';
import type { View } from '../../ui/view.js';
import type { AppContext } from '../app.js';
import { page } from '../page.js';

/** A lab screen: a title with a back button, and the content below it in a scroll. */
export function labPage(context: AppContext, title: string, views: readonly View[]): View {
  return page({
    title,
    onUp: () => context.finish(),
    body: scroll(
      { id: 'scroll', width: 'fill', share: 1 },
      column({ id: 'body', width: 'fill', padding: [8, 20, 28, 20], gap: 14 }, views),
    ),
  });
}

/** A button as wide as the page. */
export function wideButton(label: string, id: string, onClick: () => void): View {
  return button(label, { id, width: 'fill', kind: 'tonal', onClick });
}

/** A whole number given with `--ei`; `absent` when it is not there or is none, held between 0 and `most`. */
export function numberExtra(context: AppContext, name: string, absent: number, most = 60_000): number {
  const given = Number(context.extras[name] ?? NaN);
  return Number.isFinite(given) ? Math.max(0, Math.min(most, Math.round(given))) : absent;
}
