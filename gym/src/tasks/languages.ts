import { BASE_CONTACTS } from '../base/base-contacts.js';
import { PAGES_FOLDER } from '../base/pages-folder.js';
import { Family } from '../family.js';
import { contactsOf } from '../base/app-lists.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { lack } from '../phone/same.js';
import { visitsLack } from '../phone/visits.js';
import type { Action } from '../task.js';
import { go } from './browser.js';
import { find, open, tap, type } from './steps.js';

/** The state of the app for travels. */
interface Travel {
  orders?: { menu: string; dish: string }[];
  city?: string;
  language?: string;
  letters?: string[];
  tickets?: number;
}

const travelOf = async (phone: GymPhone): Promise<Travel> =>
  (await phone.appState<Travel>('com.cloudphone.gym.travel', 'travel.json')) ?? {};

const CITIES: readonly (readonly [string, string])[] = [['Beirut', 'بيروت'], ['Tunis', 'تونس'], ['Marrakesh', 'مراكش'], ['Muscat', 'مسقط']]; // prettier-ignore
const LANGUAGES: readonly (readonly [string, string])[] = [['Hebrew', 'עברית'], ['Korean', '한국어'], ['Greek', 'Ελληνικά'], ['Thai', 'ไทย']]; // prettier-ignore
const JAPANESE: readonly (readonly [string, string])[] = [['tempura soba', '天ぷらそば'], ['salt ramen', '塩ラーメン'], ['curry rice', 'カレーライス'], ['edamame', '枝豆']]; // prettier-ignore
const CHINESE: readonly (readonly [string, string])[] = [['mapo tofu', '麻婆豆腐'], ['hot and sour soup', '酸辣汤'], ['jasmine tea', '茉莉花茶']]; // prettier-ignore
const HINDI: readonly (readonly [string, string])[] = [['palak paneer', 'पालक पनीर'], ['masala dosa', 'मसाला डोसा'], ['lassi', 'लस्सी']]; // prettier-ignore

const pickDish = (menu: string, dish: string, yes: string): Action[] => [
  ...[open('Travel'), tap(menu), find(dish), tap(dish), tap(yes)],
];

const ordersLack = async (phone: GymPhone, menu: string, dish: string): Promise<string | undefined> =>
  lack('the orders', (await travelOf(phone)).orders, [{ menu, dish }]);

/** Other scripts and directions of writing, read from what the apps keep. */
export const languages = new Family('languages')
  .add('japanese-menu', {
    params: ({ pick }) => ({ dish: pick(JAPANESE) }),
    goal: ({ dish: [name] }) => `Order ${name} once from the Japanese menu in the app Travel.`,
    verdict: (phone, { dish: [, dish] }) => ordersLack(phone, 'japanese', dish),
    policy: ({ dish: [, dish] }) => pickDish('お品書き', dish, '注文する'),
  })
  .add('chinese-menu', {
    params: ({ pick }) => ({ dish: pick(CHINESE) }),
    goal: ({ dish: [name] }) => `Order ${name} once from the Chinese menu in the app Travel.`,
    verdict: (phone, { dish: [, dish] }) => ordersLack(phone, 'chinese', dish),
    policy: ({ dish: [, dish] }) => pickDish('菜单', dish, '确定'),
  })
  .add('hindi-menu', {
    params: ({ pick }) => ({ dish: pick(HINDI) }),
    goal: ({ dish: [name] }) => `Order ${name} once from the menu of the kitchen in Jaipur in the app Travel.`,
    verdict: (phone, { dish: [, dish] }) => ordersLack(phone, 'hindi', dish),
    policy: ({ dish: [, dish] }) => pickDish('मेन्यू', dish, 'हाँ'),
  })
  .add('arabic-city', {
    params: ({ pick }) => ({ city: pick(CITIES) }),
    goal: ({ city: [name] }) => `Choose the city ${name} in the Arabic list of cities in the app Travel.`,
    verdict: async (phone, { city: [, word] }) => lack('the city', (await travelOf(phone)).city, word),
    policy: ({ city: [, word] }) => [open('Travel'), find('المدن'), tap('المدن'), find(word), tap(word)],
  })
  .add('language-list', {
    params: ({ pick }) => ({ language: pick(LANGUAGES) }),
    goal: ({ language: [name] }) =>
      `The app Travel has a list of languages whose title is Hebrew. Choose ${name} there.`,
    verdict: async (phone, { language: [, word] }) => lack('the language', (await travelOf(phone)).language, word),
    policy: ({ language: [, word] }) => [open('Travel'), find('שפה'), tap('שפה'), find(word), tap(word)],
  })
  .add('korean-tickets', {
    params: ({ int }) => ({ count: int(3, 5) }),
    goal: ({ count }) => `Buy ${count} tickets at the Korean ticket machine in the app Travel.`,
    verdict: async (phone, { count }) => lack('the number of tickets', (await travelOf(phone)).tickets, count),
    policy: ({ count }) => [
      ...[open('Travel'), find('매표소'), tap('매표소')],
      ...[...Array.from({ length: count - 1 }, () => tap('더하기')), tap('구입')],
    ],
  })
  .add('chinese-guest-book', {
    params: ({ pick }) => ({ words: pick(['谢谢款待', '风景很美', '明年再来']) }),
    goal: ({ words }) => `Write "${words}" into the Chinese guest book in the app Travel, and send it.`,
    verdict: async (phone, { words }) => lack('the guest book', (await travelOf(phone)).letters, [words]),
    policy: ({ words }) => [open('Travel'), find('留言簿'), tap('留言簿'), type('在此留言', words), tap('发送')],
  })
  .add('arabic-page', {
    params: ({ pick }) => ({ name: pick(['محمد علي', 'שרה כהן', '佐藤花子']) }),
    goal: ({ name }) =>
      `Star the contact ${name}. Then open file://${PAGES_FOLDER}/arabic.html in the browser, and there the page about visits to the museum.`,
    verdict: async (phone, { name }) => {
      const starred = (await contactsOf(phone)).filter((one) => one.starred).map((one) => one.name);
      return lack('what has a star', starred, [name]) ?? visitsLack(phone, { last: 'arabic-visit.html' });
    },
    policy: ({ name }) => [
      ...[open('Contacts'), type('Search contacts', name), tap(`${name}, ${companyOf(name)}`), tap('Add star')],
      ...[...go(`file://${PAGES_FOLDER}/arabic.html`), tap('زيارة المتحف')],
    ],
  });

function companyOf(name: string): string {
  return BASE_CONTACTS.find((one) => one.name === name)?.company ?? '';
}
