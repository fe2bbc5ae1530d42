import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { Activity, AppContext } from '../app.js';
import { labPage, numberExtra, wideButton } from './lab-page.js';

/** Notifications: one at once, one after `ms` (3000), and several. A tap on one opens this screen and names it. */
export function notificationsScreen(context: AppContext): Activity {
  const opened = context.extras['opened'];
  const state = text(opened === undefined ? 'Swipe down from the top' : `Opened by ${opened}`, {
    id: 'state',
    color: theme.textSoft,
  });
  const lateMs = numberExtra(context, 'ms', 3000);
  const notify = (name: string): void =>
    context.notify({
      tag: name,
      title: `Lab: ${name}`,
      text: 'Tap to open, swipe to dismiss',
      target: { component: `${context.package}/.Notifications` },
      extras: { opened: name },
    });
  return {
    content: labPage(context, 'Notifications', [
      state,
      wideButton('Notify now', 'notify', () => notify('one')),
      wideButton('Notify later', 'notify_later', () => void context.later(lateMs, () => notify('late'))),
      wideButton('Notify five times', 'notify_many', () =>
        ['first', 'second', 'third', 'fourth', 'fifth'].forEach(notify),
      ),
    ]),
  };
}
