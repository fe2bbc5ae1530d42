import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { longList, screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';
import { MENUS, WORDS } from './parts/travel-words.js';

interface Travel {
  orders: { menu: string; dish: string }[];
  city?: string;
  language?: string;
  letters: string[];
  /** All tickets that were bought. */
  tickets?: number;
}

const PACKAGE = 'com.cloudphone.gym.travel';
const NEW: Travel = { orders: [], letters: [] };

/** Screens in other languages and directions of writing: menus, cities, a ticket machine, a guest book. */
export default function travelApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Travel> => new StateFile<Travel>(context, 'travel', NEW);
  const go = (context: AppContext, title: string, detail: string, activity: string, extras = {}) =>
    ui.listRow({ title, detail, onClick: () => context.open({ component: `${PACKAGE}/${activity}` }, extras) });

  const main = (context: AppContext): Activity => ({
    content: screen(
      ui,
      context,
      'Travel',
      [
        ...Object.entries(MENUS).map(([id, { title, place }]) => go(context, title, place, '.Menu', { id })),
        go(context, 'المدن', 'Cities', '.Cities'),
        go(context, 'שפה', 'Language', '.Language'),
        go(context, '매표소', 'Ticket machine', '.Tickets'),
        go(context, '留言簿', 'Guest book', '.Letters'),
      ],
      true,
    ),
  });

  const menu = (context: AppContext): Activity => {
    const store = storeOf(context);
    const id = context.extras['id'] ?? '';
    const { title, dishes, order, yes, no } = MENUS[id] ?? {
      title: id,
      dishes: [],
      order: '',
      yes: 'OK',
      no: 'Cancel',
    };
    const ask = (dish: string): void =>
      void context.dialog({
        title: `${order}: ${dish}`,
        buttons: [
          { label: no },
          {
            label: yes,
            onClick: () =>
              store.change(
                (state) => ({ ...state, orders: [...state.orders, { menu: id, dish }] }),
                () => context.toast(yes),
              ),
          },
        ],
      });
    const list = longList<string>(ui, (dish) => ({ title: dish, onClick: () => ask(dish) }));
    list.show(dishes);
    return {
      content: ui.page({
        title,
        onUp: () => context.finish(),
        body: ui.overlay({ width: 'fill', share: 1 }, [list.view]),
      }),
    };
  };

  const choice =
    (title: string, words: readonly string[], key: 'city' | 'language') =>
    (context: AppContext): Activity => {
      const store = storeOf(context);
      const list = longList<string>(ui, (word) => ({
        title: word,
        onClick: () =>
          store.change(
            (state) => ({ ...state, [key]: word }),
            () => context.toast(word),
          ),
      }));
      list.show(words);
      return {
        content: ui.page({
          title,
          onUp: () => context.finish(),
          body: ui.overlay({ width: 'fill', share: 1 }, [list.view]),
        }),
      };
    };

  const tickets = (context: AppContext): Activity => {
    const store = storeOf(context);
    let count = 1;
    const shown = ui.text('1 장', { id: 'count', size: 28 });
    const add = (by: number) => () => {
      count = Math.max(1, count + by);
      shown.text = `${count} 장`;
    };
    const buy = (): void =>
      store.change(
        (state) => ({ ...state, tickets: (state.tickets ?? 0) + count }),
        () => context.toast('감사합니다'),
      );
    return {
      content: screen(ui, context, '매표소', [
        ui.text('표', { size: 16 }),
        shown,
        wide(ui, '더하기', add(1)),
        wide(ui, '빼기', add(-1)),
        wide(ui, '구입', buy),
        wide(ui, '취소', () => context.finish()),
      ]),
    };
  };

  const letters = (context: AppContext): Activity => {
    const store = storeOf(context);
    const field = ui.edit({ id: 'letter', hint: '在此留言', multiLine: true });
    const send = (): void =>
      store.change(
        (state) => ({ ...state, letters: [...state.letters, field.text] }),
        () => context.toast('已发送'),
      );
    return {
      content: screen(ui, context, '留言簿', [field, wide(ui, '发送', send), wide(ui, '清除', () => context.finish())]),
    };
  };

  return {
    package: PACKAGE,
    label: 'Travel',
    drawIcon: ui.appIcon('#00796b', 'globe'),
    launcherActivity: '.Main',
    activities: {
      ...{ '.Main': main, '.Menu': menu, '.Tickets': tickets, '.Letters': letters },
      '.Cities': choice('المدن', WORDS.cities, 'city'),
      '.Language': choice('שפה', WORDS.languages, 'language'),
    },
  };
}
