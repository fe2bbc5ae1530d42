import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { longList, screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

interface Mail {
  id: string;
  from: string;
  subject: string;
  body: string;
  folder: 'inbox' | 'archive' | 'trash' | 'spam';
  starred: boolean;
  /** Whether the sender writes regularly, so that one can unsubscribe. */
  list?: boolean;
}

interface Mailbox {
  mails: Mail[];
  unsubscribed: string[];
  replies: { to: string; subject: string; text: string }[];
}

const PACKAGE = 'com.cloudphone.gym.mail';
const EMPTY: Mailbox = { mails: [], unsubscribed: [], replies: [] };

/** Mail with an inbox of hundreds. Its labels are those of real programs, and some of them mislead. */
export default function mailApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Mailbox> => new StateFile<Mailbox>(context, 'mailbox', EMPTY);

  const main = (context: AppContext): Activity => {
    const store = storeOf(context);
    const list = longList<Mail>(ui, (mail) => ({
      title: mail.starred ? `★ ${mail.subject}` : mail.subject,
      detail: mail.from,
      onClick: () => context.open({ component: `${PACKAGE}/.Mail` }, { id: mail.id }),
    }));
    const show = ({ mails }: Mailbox): void => list.show(mails.filter(({ folder }) => folder === 'inbox'));
    const body = ui.overlay({ width: 'fill', share: 1 }, [list.view]);
    return { content: ui.page({ title: 'Inbox', body }), onResume: () => store.read(show) };
  };

  const one = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'] ?? '';
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const change = (edit: (mail: Mail) => Mail, then: () => void): void =>
      store.change((box) => ({ ...box, mails: box.mails.map((mail) => (mail.id === id ? edit(mail) : mail)) }), then);
    const move = (folder: Mail['folder']): void =>
      change(
        (mail) => ({ ...mail, folder }),
        () => context.finish(),
      );
    const unsubscribe = (mail: Mail): void =>
      // The button that stands out keeps the subscription.
      void context.dialog({
        title: 'Are you sure?',
        message: 'You will miss our best offers.',
        buttons: [
          {
            label: 'Yes, leave the list',
            kind: 'text',
            onClick: () => store.change((box) => ({ ...box, unsubscribed: [...box.unsubscribed, mail.from] }), show),
          },
          { label: 'Continue', kind: 'danger', onClick: () => context.toast('You stay on the list') },
        ],
      });
    const reply = (mail: Mail): void => {
      const field = ui.edit({ id: 'reply', hint: 'Your reply', multiLine: true });
      const send = (): void =>
        store.change(
          (box) => ({ ...box, replies: [...box.replies, { to: mail.from, subject: mail.subject, text: field.text }] }),
          () => context.toast('Reply sent'),
        );
      context.dialog({
        title: `Reply to ${mail.from}`,
        content: field,
        buttons: [{ label: 'Discard' }, { label: 'Send', onClick: send }],
      });
      context.focus(field);
    };
    const show = ({ mails, unsubscribed }: Mailbox): void => {
      const mail = mails.find((known) => known.id === id);
      if (mail === undefined) return;
      body.setChildren([
        ui.text(mail.subject, { id: 'subject', size: 22, weight: 500 }),
        ui.text(`From ${mail.from}`, { id: 'from' }),
        ui.text(mail.body, { id: 'body' }),
        wide(ui, 'Reply', () => reply(mail)),
        wide(ui, 'Archive', () => move('archive')),
        wide(ui, 'Delete', () => move('trash')),
        wide(ui, 'Report spam', () => move('spam')),
        wide(ui, mail.starred ? 'Unstar' : 'Star', () =>
          change(
            (known) => ({ ...known, starred: !known.starred }),
            () => store.read(show),
          ),
        ),
        ...(mail.list === true && !unsubscribed.includes(mail.from)
          ? [wide(ui, 'Manage subscription', () => unsubscribe(mail))]
          : []),
      ]);
    };
    return { content: screen(ui, context, 'Mail', [body]), onResume: () => store.read(show) };
  };

  return {
    package: PACKAGE,
    label: 'Mail',
    drawIcon: ui.appIcon('#b3402a', 'chat'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Mail': one },
  };
}
