import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, numberExtra, wideButton } from './lab-page.js';

/** Has a button for each of these: an alert, a question, a prompt with a field, an alert that comes late, and a toast. */
export function dialogsScreen(ui: Toolkit, context: AppContext): Activity {
  const { edit, text, theme } = ui;
  const answer = text('No answer yet', { id: 'answer', color: theme.textSoft });
  const say = (words: string): void => {
    answer.text = words;
  };
  const alert = (): void => {
    context.dialog({
      title: 'Battery low',
      message: 'Connect the charger soon.',
      buttons: [{ label: 'OK', onClick: () => say('Alert closed') }],
      onDismiss: () => say('Alert dismissed'),
    });
  };
  const question = (): void => {
    context.dialog({
      title: 'Allow Lab to take pictures?',
      message: 'You can change this later in settings.',
      dismissible: false,
      buttons: [
        { label: 'Don’t allow', onClick: () => say('Denied') },
        { label: 'Allow', onClick: () => say('Allowed') },
      ],
    });
  };
  const prompt = (): void => {
    const field = edit({ id: 'prompt_field', hint: 'Name' });
    context.dialog({
      title: 'Rename',
      content: field,
      buttons: [{ label: 'Cancel' }, { label: 'Rename', onClick: () => say(`Renamed to ${field.text}`) }],
    });
    context.focus(field);
  };
  const lateMs = numberExtra(context, 'ms', 2000);
  return {
    content: labPage(ui, context, 'Dialogs and messages', [
      answer,
      wideButton(ui, 'Alert', 'alert', alert),
      wideButton(ui, 'Question', 'question', question),
      wideButton(ui, 'Prompt', 'prompt', prompt),
      wideButton(ui, 'Late dialog', 'late_dialog', () => void context.later(lateMs, alert, { pending: true })),
      wideButton(ui, 'Toast', 'toast', () => context.toast('Here is a toast')),
    ]),
  };
}
