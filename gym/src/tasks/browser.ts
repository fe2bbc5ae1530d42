import { PAGES_FOLDER } from '../base/pages-folder.js';
import { webPage } from '../base/base-pages.js';
import { Family } from '../family.js';
import { visitsLack } from '../phone/visits.js';
import { notesLack } from '../phone/notes.js';
import { BASE_NOTES } from '../base/base-notes.js';
import type { Action } from '../task.js';
import { writeNote } from './notes.js';
import { back, find, open, tap, type } from './steps.js';

const TOWN = `file://${PAGES_FOLDER}/town.html`;
export const go = (address: string): Action[] => [
  open('Browser'),
  type('Search or type web address', address, { submit: true }),
];
const ADDRESS = `The pages of the town begin at ${TOWN}.`;

const STATIONS = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Ginkgo', 'Hazel', 'Ilex', 'Juniper'];

/** Pages on the phone, read from the history of the browser. */
export const browser = new Family('browser')
  .add('open', {
    params: ({ pick }) => ({ page: pick(['museum', 'pool', 'brochure', 'news-4']) }),
    goal: ({ page }) => `Open file://${PAGES_FOLDER}/${page}.html in the browser.`,
    verdict: (phone, { page }) => visitsLack(phone, { last: `${page}.html` }),
    policy: ({ page }) => go(`file://${PAGES_FOLDER}/${page}.html`),
  })
  .add('follow-links', {
    params: () => ({}),
    goal: () => `${ADDRESS} From there, open the page with the tickets of the museum.`,
    verdict: (phone) => visitsLack(phone, { last: 'museum-tickets.html', visited: ['town.html', 'museum.html'] }),
    policy: () => [...go(TOWN), tap('Museum'), tap('Tickets')],
  })
  .add('pages-of-news', {
    params: () => ({}),
    goal: () => `${ADDRESS} Go through the news to the oldest ones, and open what comes after them.`,
    verdict: (phone) => visitsLack(phone, { last: 'news-archive.html', visited: ['news-6.html'] }),
    *policy() {
      yield* go(TOWN);
      yield tap('News');
      for (let page = 2; page <= 6; page++) {
        yield find('Older');
        yield tap('Older');
      }
      yield find('Archive of 1987');
      yield tap('Archive of 1987');
    },
  })
  .add('which-platform', {
    params: ({ int }) => ({ station: int(0, 9) }),
    goal: ({ station }) =>
      `${ADDRESS} One station has platform ${platformOf(station)}. Find its page and leave it open.`,
    verdict: (phone, { station }) => visitsLack(phone, { last: `station-${station}.html` }),
    maxSteps: 40,
    *policy({ station }) {
      yield* go(TOWN);
      yield tap('Trains');
      for (const name of STATIONS) {
        const { text } = yield tap(`${name} station`);
        if (text.includes(`Platform ${platformOf(station)}.`)) return;
        yield tap('All stations');
      }
    },
  })
  .add('refuse-cookies', {
    params: () => ({}),
    goal: () =>
      `${ADDRESS} Find out at the town hall where the desks are. Do not agree to cookies that are not needed.`,
    verdict: (phone) =>
      visitsLack(phone, { last: 'hall-desk.html', visited: ['hall-refused.html'], never: ['hall-accepted.html'] }),
    policy: () => [...go(TOWN), tap('Town hall'), tap('More options'), tap('Only what is needed'), tap('Desks')],
  })
  .add('real-download', {
    params: () => ({}),
    goal: () => `Open the brochure from file://${PAGES_FOLDER}/download.html without opening any advertisement.`,
    verdict: (phone) =>
      visitsLack(phone, { last: 'brochure.html', visited: ['download.html'], never: ['ad-1.html', 'ad-2.html', 'ad-3.html'] }), // prettier-ignore
    policy: () => [...go(`file://${PAGES_FOLDER}/download.html`), tap('brochure (text)')],
  })
  .add('dead-link', {
    params: () => ({}),
    goal: () => `${ADDRESS} The map there is out of date. Find a map of 2026.`,
    verdict: (phone) => visitsLack(phone, { last: 'map-2026.html' }),
    *policy() {
      yield* go(TOWN);
      yield tap('Map');
      const { text } = yield tap('New map');
      if (text.includes('ERR_FILE_NOT_FOUND')) yield back;
      yield tap('Other maps');
    },
  })
  .add('back-to-start', {
    params: ({ pick }) => ({ page: pick([['Rules', 'pool-rules.html'], ['Prices', 'pool-prices.html']] as const) }), // prettier-ignore
    goal: ({ page: [label] }) => `${ADDRESS} Look at the page "${label}" of the swimming pool, then go back to the first page.`, // prettier-ignore
    verdict: (phone, { page: [, file] }) => visitsLack(phone, { last: 'town.html', visited: [file] }),
    policy: ({ page: [label] }) => [...go(TOWN), tap('Swimming pool'), tap(label), back, back],
  })
  .add('long-page', {
    params: ({ int }) => ({ rule: int(28, 39) }),
    goal: ({ rule }) => `${ADDRESS} Which desk does rule ${rule} of the swimming pool name? Write a note whose title is that number alone.`, // prettier-ignore
    verdict: (phone, { rule }) => notesLack(phone, [...BASE_NOTES, { title: String(rule + 2), body: '' }]),
    *policy({ rule }) {
      yield* go(TOWN);
      yield tap('Swimming pool');
      yield tap('Rules');
      const { text } = yield find(`Rule ${rule}: ask at the desk ${rule + 2}.`);
      yield* writeNote(new RegExp(`Rule ${rule}: ask at the desk (\\d+)`).exec(text)?.[1] ?? '', '');
    },
  })
  .add('weather', {
    params: ({ int, sample }) => ({ days: sample(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'], 5), from: int(2, 9) }), // prettier-ignore
    goal: () =>
      `The page file://${PAGES_FOLDER}/weather.html has the weather. Write a note with the warmest day as title.`,
    prepare: (phone, { days, from }) =>
      phone.writeFile(
        `${PAGES_FOLDER}/weather.html`,
        webPage(
          'Weather',
          `<ul>${days.map((day, at) => `<li>${day}: ${from + ((at * 3) % 5)} degrees</li>`).join('')}</ul>`,
        ),
      ),
    verdict: (phone, { days }) => notesLack(phone, [...BASE_NOTES, { title: days[3] ?? '', body: '' }]),
    *policy() {
      const [first, second] = go(`file://${PAGES_FOLDER}/weather.html`) as [Action, Action];
      yield first;
      const { text } = yield second;
      const found = [...text.matchAll(/(\w+): (\d+) degrees/g)].map(([, day = '', degrees]) => ({ day, degrees: Number(degrees) })); // prettier-ignore
      yield* writeNote(found.toSorted((a, b) => b.degrees - a.degrees)[0]?.day ?? '', '');
    },
  });

function platformOf(station: number): number {
  return ((station * 7) % 12) + 1;
}
