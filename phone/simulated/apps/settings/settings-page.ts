import { column } from '../../ui/containers.js';
import { scroll } from '../../ui/scroll.js';
import type { View } from '../../ui/view.js';
import type { AppContext } from '../app.js';
import { page } from '../page.js';

/** A page of settings: rows that scroll, under a title with the way back. */
export function settingsPage(context: AppContext, title: string, rows: readonly View[]): View {
  return page({
    title,
    onUp: () => context.finish(),
    body: scroll({ id: 'list', width: 'fill', share: 1 }, column({ width: 'fill', padding: [4, 0, 20, 0] }, rows)),
  });
}
