import { toggle, type CompoundButton } from '../../ui/compound-button.js';
import { column } from '../../ui/containers.js';
import { scroll } from '../../ui/scroll.js';
import type { View } from '../../ui/view.js';
import type { AppContext } from '../app.js';
import { page } from '../page.js';

/** Returns a switch for a setting that is 0 or 1. `absent`: its value when it was never set. */
export function settingToggle(
  { settings }: AppContext,
  label: string,
  id: string,
  { key, absent }: { key: string; absent: '0' | '1' },
): CompoundButton {
  return toggle(label, {
    id,
    width: 'fill',
    padding: [14, 20],
    checked: (settings.get('global', key) ?? absent) !== '0',
    onChange: (on) => settings.put('global', key, on ? '1' : '0'),
  });
}

/** Returns a page of settings: rows that scroll, under a title with an arrow that leads back. */
export function settingsPage(context: AppContext, title: string, rows: readonly View[]): View {
  return page({
    title,
    onUp: () => context.finish(),
    body: scroll({ id: 'list', width: 'fill', share: 1 }, column({ width: 'fill', padding: [4, 0, 20, 0] }, rows)),
  });
}
