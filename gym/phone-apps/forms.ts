import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { FORMS } from './parts/form-list.js';
import { fieldsOf, type Values } from './parts/fields.js';
import { screen } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

const PACKAGE = 'com.cloudphone.gym.forms';

/** Forms of an office. What was sent is kept, by the name of the form. */
export default function formsApp(ui: Toolkit): App {
  const main = (context: AppContext): Activity => {
    const rows = Object.entries(FORMS).map(([id, { title, about }]) =>
      ui.listRow({ title, detail: about, onClick: () => context.open({ component: `${PACKAGE}/.Form` }, { id }) }),
    );
    return { content: screen(ui, context, 'Office', rows, true) };
  };

  const form = (context: AppContext): Activity => {
    const id = context.extras['id'] ?? '';
    const { title, pages, submit } = FORMS[id] ?? { title: id, pages: [[]], submit: 'Send' };
    const sent = new StateFile<Record<string, Values[]>>(context, 'sent', {});
    const fault = ui.text('', { id: 'fault', color: '#b3261e', visible: false });
    const made = pages.map((fields) => fieldsOf(ui, context, fields));
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const show = (at: number): void => {
      const page = made[at];
      if (page === undefined) return;
      const isLast = at === made.length - 1;
      const go = (): void => {
        const wrong = page.fault();
        fault.text = wrong ?? '';
        fault.visible = wrong !== undefined;
        if (wrong !== undefined) return;
        if (!isLast) {
          show(at + 1);
          return;
        }
        const values = Object.assign({}, ...made.map((one) => one.values())) as Values;
        sent.change(
          (all) => ({ ...all, [id]: [...(all[id] ?? []), values] }),
          () => {
            context.toast('Sent');
            body.setChildren([ui.text('Thank you. The form was sent.', { id: 'done', size: 18 })]);
          },
        );
      };
      const buttons = [ui.button(isLast ? submit : 'Next', { id: 'go', onClick: go })];
      if (at > 0)
        buttons.unshift(ui.button('Previous', { id: 'previous', kind: 'tonal', onClick: () => show(at - 1) }));
      fault.visible = false;
      body.setChildren([fault, ...page.views, ui.row({ width: 'fill', gap: 12 }, buttons)]);
    };
    show(0);
    return { content: screen(ui, context, title, [body]) };
  };

  return {
    package: PACKAGE,
    label: 'Office',
    drawIcon: ui.appIcon('#8a5a00', 'note'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Form': form },
  };
}
