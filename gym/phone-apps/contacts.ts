import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { fieldsOf } from './parts/fields.js';
import { longList, screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

interface Contact {
  id: string;
  name: string;
  phone: string;
  email: string;
  company: string;
  starred: boolean;
}

const PACKAGE = 'com.cloudphone.gym.contacts';

/** Contacts: a list of hundreds with a search, a page for each, and a form. */
export default function contactsApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Contact[]> => new StateFile<Contact[]>(context, 'contacts', []);

  const main = (context: AppContext): Activity => {
    const store = storeOf(context);
    const searches = new StateFile<{ words: string }>(context, 'search', { words: '' });
    let all: Contact[] = [];
    const openOne = ({ id }: Contact): void => context.open({ component: `${PACKAGE}/.Contact` }, { id });
    const remove = ({ id, name }: Contact): void =>
      void context.dialog({
        title: `Delete ${name}?`,
        buttons: [
          { label: 'Cancel' },
          {
            label: 'Delete',
            kind: 'danger',
            onClick: () => store.change((list) => list.filter((one) => one.id !== id), show),
          },
        ],
      });
    const list = longList<Contact>(ui, (one) => ({
      title: one.name,
      detail: one.starred ? `★ ${one.company}` : one.company,
      onClick: () => openOne(one),
      onLongClick: (row) =>
        ui.contextMenu(row, [
          { label: 'Open', onClick: () => openOne(one) },
          { label: 'Delete contact', onClick: () => remove(one) },
        ]),
    }));
    const searchFor = (): void => {
      filter();
      const words = search.text.trim();
      if (words !== '') searches.change(() => ({ words }));
    };
    const search = ui.edit({ id: 'search', hint: 'Search contacts', fieldStyle: 'pill', onChange: searchFor });
    const filter = (): void => {
      const words = search.text.trim().toLowerCase();
      list.show(all.filter(({ name, company }) => `${name} ${company}`.toLowerCase().includes(words)));
    };
    const show = (found: Contact[]): void => {
      all = [...found].sort((a, b) => a.name.localeCompare(b.name, 'en'));
      filter();
    };
    const add = ui.iconButton({
      id: 'add',
      icon: 'plus',
      description: 'New contact',
      onClick: () => context.open({ component: `${PACKAGE}/.Edit` }),
    });
    const body = ui.column({ width: 'fill', share: 1 }, [
      ui.row({ width: 'fill', padding: [4, 16] }, [search]),
      ui.overlay({ width: 'fill', share: 1 }, [list.view]),
    ]);
    return { content: ui.page({ title: 'Contacts', actions: [add], body }), onResume: () => store.read(show) };
  };

  const contact = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'] ?? '';
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const show = (all: Contact[]): void => {
      const one = all.find((known) => known.id === id);
      if (one === undefined) {
        context.finish();
        return;
      }
      const star = one.starred ? 'Remove star' : 'Add star';
      body.setChildren([
        ui.text(one.name, { id: 'name', size: 26, weight: 500 }),
        ...[
          ['Phone', one.phone],
          ['E-mail', one.email],
          ['Company', one.company],
        ].map(([title = '', detail = '']) => ui.listRow({ title, detail })),
        wide(ui, star, () =>
          store.change(
            (list) => list.map((known) => (known.id === id ? { ...known, starred: !known.starred } : known)),
            show,
          ),
        ),
        wide(ui, 'Edit', () => context.open({ component: `${PACKAGE}/.Edit` }, { id })),
        wide(ui, 'Send message', () =>
          context.open({ component: 'com.cloudphone.messages/.Thread' }, { id: one.name }),
        ),
      ]);
    };
    return { content: screen(ui, context, 'Contact', [body]), onResume: () => store.read(show) };
  };

  const edit = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'];
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const show = (all: Contact[]): void => {
      const known = all.find((one) => one.id === id);
      const form = fieldsOf(ui, context, [
        { kind: 'text', name: 'Name', value: known?.name ?? '' },
        { kind: 'text', name: 'Phone', value: known?.phone ?? '' },
        { kind: 'text', name: 'E-mail', value: known?.email ?? '' },
        { kind: 'text', name: 'Company', value: known?.company ?? '' },
      ]);
      const save = (): void => {
        const values = form.values();
        const written = {
          ...{ id: id ?? `new${all.length}`, starred: known?.starred ?? false, name: String(values['Name']) },
          ...{ phone: String(values['Phone']), email: String(values['E-mail']), company: String(values['Company']) },
        };
        store.change(
          (list) => [...list.filter((one) => one.id !== written.id), written],
          () => context.finish(),
        );
      };
      body.setChildren([...form.views, wide(ui, 'Save contact', save)]);
    };
    store.read(show);
    return { content: screen(ui, context, id === undefined ? 'New contact' : 'Edit contact', [body]) };
  };

  return {
    package: PACKAGE,
    label: 'Contacts',
    drawIcon: ui.appIcon('#3f7d58', 'chat'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Contact': contact, '.Edit': edit },
  };
}
