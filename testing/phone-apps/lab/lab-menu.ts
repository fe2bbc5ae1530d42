import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

const SCREENS: readonly [activity: string, title: string, detail: string, extras?: Record<string, string>][] = [
  ['.Animation', 'Animation, 100 ms', 'A box that moves', { ms: '100' }],
  ['.Animation', 'Animation, 300 ms', 'A box that moves', { ms: '300' }],
  ['.Animation', 'Animation, 900 ms', 'A box that moves', { ms: '900' }],
  ['.LateContent', 'Late content', 'Comes after 1.5 s'],
  ['.SecondPaint', 'Late second paint', 'Looks done, and then changes once more'],
  ['.Spinner', 'Endless spinner', 'Never stops'],
  ['.List', 'Long list', '500 rows'],
  ['.NestedScroll', 'Nested scroll', 'Lists that move sideways in one that moves down'],
  ['.Form', 'Form', 'Every kind of control'],
  ['.Dialogs', 'Dialogs and messages', 'Alert, choice, prompt, toast'],
  ['.Notifications', 'Notifications', 'At once, later, many'],
  ['.Gestures', 'Gestures', 'Long press for a menu, swipe away, pick a date'],
  ['.Secure', 'Secure window', 'Screenshots are black'],
  ['.WebView', 'Web view', 'One node, however much is drawn'],
  ['.Caret', 'Blinking caret', 'A field that has the focus'],
  ['.Texts', 'Special texts', 'Quotes, emoji, line breaks, long text'],
  ['.Scripts', 'Scripts', 'Chinese to Telugu, right to left, joined emoji'],
  ['.BigText', 'Big text', 'Larger than the screen likes'],
  ['.Touches', 'Touch pad', 'Shows every finger'],
  ['.Zoom', 'Map', 'Two fingers zoom, one moves, a double tap comes closer'],
  ['.Counter', 'Frame counter', 'A number in black and white squares, anew in each frame'],
  ['.Products', 'Products', 'Pages that differ in a number, with a button in the same place'],
];

export function labMenu(ui: Toolkit, context: AppContext): Activity {
  const { column, icon, scroll, theme, listRow, page } = ui;
  const rows = SCREENS.map(([activity, title, detail, extras], at) =>
    listRow({
      id: `screen_${at}`,
      title,
      detail,
      lines: 1,
      trailing: icon('chevron', { size: 20, color: theme.outline }),
      onClick: () => context.open({ component: `${context.package}/${activity}` }, extras),
    }),
  );
  return {
    content: page({
      title: 'Lab',
      body: scroll({ id: 'list', width: 'fill', share: 1 }, column({ width: 'fill', padding: [0, 0, 16, 0] }, rows)),
    }),
  };
}
