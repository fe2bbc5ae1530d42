import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { fieldsOf } from './parts/fields.js';
import { longList, screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

interface Entry {
  id: string;
  title: string;
  /** 2026-03-02. */
  day: string;
  time: string;
}

const PACKAGE = 'com.cloudphone.gym.calendar';
const TIMES = Array.from({ length: 13 }, (_, at) => `${String(at + 8).padStart(2, '0')}:00`);

/** A calendar: a list of entries by day, and a form with a date picker. */
export default function calendarApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Entry[]> => new StateFile<Entry[]>(context, 'entries', []);

  const main = (context: AppContext): Activity => {
    const store = storeOf(context);
    const list = longList<Entry>(ui, ({ id, title, day, time }) => ({
      title,
      detail: `${day}, ${time}`,
      onClick: () => context.open({ component: `${PACKAGE}/.Entry` }, { id }),
    }));
    const sorted = (all: Entry[]): Entry[] =>
      [...all].sort((a, b) => `${a.day} ${a.time}`.localeCompare(`${b.day} ${b.time}`));
    const add = ui.iconButton({
      id: 'add',
      icon: 'plus',
      description: 'New entry',
      onClick: () => context.open({ component: `${PACKAGE}/.Entry` }),
    });
    return {
      content: ui.page({
        title: 'Calendar',
        actions: [add],
        body: ui.overlay({ width: 'fill', share: 1 }, [list.view]),
      }),
      onResume: () => store.read((all) => list.show(sorted(all))),
    };
  };

  const one = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'];
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    store.read((all) => {
      const known = all.find((entry) => entry.id === id);
      const form = fieldsOf(ui, context, [
        { kind: 'text', name: 'Title', value: known?.title ?? '' },
        { kind: 'date', name: 'Day', value: known?.day ?? '2026-03-02' },
        { kind: 'choice', name: 'Time', choices: TIMES, value: known?.time ?? '09:00' },
      ]);
      const write = (): void => {
        const values = form.values();
        const entry = {
          id: id ?? `new${all.length}`,
          title: String(values['Title']),
          day: String(values['Day']),
          time: String(values['Time']),
        };
        store.change(
          (list) => [...list.filter((other) => other.id !== entry.id), entry],
          () => context.finish(),
        );
      };
      const save = (): void => {
        const { Day: day, Time: time } = form.values();
        const other = all.find((entry) => entry.id !== id && entry.day === day && entry.time === time);
        if (other === undefined) {
          write();
          return;
        }
        context.dialog({
          title: 'Conflict',
          message: `At that time there is: ${other.title}`,
          buttons: [{ label: 'Change time' }, { label: 'Save anyway', onClick: write }],
        });
      };
      const remove = (): void =>
        store.change(
          (list) => list.filter((entry) => entry.id !== id),
          () => context.finish(),
        );
      body.setChildren([
        ...form.views,
        wide(ui, 'Save entry', save),
        ...(known === undefined ? [] : [wide(ui, 'Delete entry', remove)]),
      ]);
    });
    return { content: screen(ui, context, id === undefined ? 'New entry' : 'Entry', [body]) };
  };

  return {
    package: PACKAGE,
    label: 'Calendar',
    drawIcon: ui.appIcon('#4b5fc0', 'clock'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Entry': one },
  };
}
