import type { AppContext } from '../../../simulated-phone/apps/app.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

/** A lab screen: a title with a back button, and the content below it in a scroll. */
export function labPage(
  { column, scroll, page }: Toolkit,
  context: AppContext,
  title: string,
  views: readonly View[],
): View {
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
export function wideButton({ button }: Toolkit, label: string, id: string, onClick: () => void): View {
  return button(label, { id, width: 'fill', kind: 'tonal', onClick });
}

/** Returns the number given with `--ei`, rounded and held between 0 and `most`. Returns `absent` when it is missing or is no number. */
export function numberExtra(context: AppContext, name: string, absent: number, most = 60_000): number {
  const given = Number(context.extras[name] ?? NaN);
  return Number.isFinite(given) ? Math.max(0, Math.min(most, Math.round(given))) : absent;
}
