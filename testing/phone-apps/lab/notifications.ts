import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, numberExtra, wideButton } from './lab-page.js';

/** Sends notifications: one at once, one after `ms` (3000), or five. A tap on a notification opens this screen, which shows its name. */
export function notificationsScreen(ui: Toolkit, context: AppContext): Activity {
  const { text, theme } = ui;
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
    content: labPage(ui, context, 'Notifications', [
      state,
      wideButton(ui, 'Notify now', 'notify', () => notify('one')),
      wideButton(ui, 'Notify later', 'notify_later', () => void context.later(lateMs, () => notify('late'))),
      wideButton(ui, 'Notify five times', 'notify_many', () =>
        ['first', 'second', 'third', 'fourth', 'fifth'].forEach(notify),
      ),
    ]),
  };
}
