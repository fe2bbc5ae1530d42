import { BASE_ENTRIES, type GivenEntry } from '../base/base-calendar.js';
import { Family } from '../family.js';
import { entriesOf, setEntries } from '../base/app-lists.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { lack } from '../phone/same.js';
import type { Action } from '../task.js';
import { find, open, replace, tap, type } from './steps.js';

const keysOf = (entries: readonly Omit<GivenEntry, 'id'>[]): string[] =>
  entries.map(({ title, day, time }) => `${title.trim()} ${day} ${time}`).sort();

const entriesLack = async (phone: GymPhone, wanted: readonly Omit<GivenEntry, 'id'>[]): Promise<string | undefined> =>
  lack('the calendar', keysOf(await entriesOf(phone)), keysOf(wanted));

const at = (time: string): Action[] => [tap('Time'), find(time), tap(time)];
const others = (title: string): GivenEntry[] => BASE_ENTRIES.filter((entry) => entry.title !== title);

/** A calendar, read from the entries that it keeps. */
export const calendar = new Family('calendar')
  .add('new-entry', {
    params: ({ pick, int }) => ({ title: pick(['Haircut', 'Garage', 'Yoga']), day: int(10, 28), time: pick(['11:00', '13:00', '15:00']) }), // prettier-ignore
    goal: ({ title, day, time }) => `Enter "${title}" in the Calendar on ${day} March 2026 at ${time}.`,
    verdict: (phone, { title, day, time }) => entriesLack(phone, [...BASE_ENTRIES, { title, day: `2026-03-${day}`, time }]), // prettier-ignore
    policy: ({ title, day, time }) => [
      ...[open('Calendar'), tap('New entry'), type('Title', title), tap('Day'), tap(`${day} March 2026`), tap('OK')],
      ...[...at(time), tap('Save entry')],
    ],
  })
  .add('move-entry', {
    params: ({ pick, int }) => ({ entry: pick(BASE_ENTRIES), day: int(20, 28) }),
    goal: ({ entry, day }) => `Move "${entry.title}" in the Calendar to ${day} March 2026. The time stays.`,
    verdict: (phone, { entry, day }) =>
      entriesLack(phone, [...others(entry.title), { ...entry, day: `2026-03-${day}` }]),
    policy: ({ entry, day }) => [
      ...[open('Calendar'), tap(entry.title), tap('Day'), tap(`${day} March 2026`), tap('OK'), tap('Save entry')],
    ],
  })
  .add('cancel-entry', {
    params: ({ pick }) => ({ entry: pick(BASE_ENTRIES) }),
    goal: ({ entry }) => `"${entry.title}" does not take place. Remove it from the Calendar.`,
    verdict: (phone, { entry }) => entriesLack(phone, others(entry.title)),
    policy: ({ entry }) => [open('Calendar'), tap(entry.title), tap('Delete entry')],
  })
  .add('conflict', {
    params: ({ pick }) => ({ time: pick(['09:00', '10:00', '12:00']), title: pick(['Call the bank', 'Post office']) }),
    goal: ({ time, title }) => `Enter "${title}" in the Calendar on 2 March 2026 at ${time}. Where that time is taken, take the next full hour.`, // prettier-ignore
    prepare: (phone, { time }) => setEntries(phone, [...BASE_ENTRIES, { id: 'taken', title: 'Taken', day: '2026-03-02', time }]), // prettier-ignore
    verdict: (phone, { time, title }) =>
      entriesLack(phone, [...BASE_ENTRIES, { title: 'Taken', day: '2026-03-02', time }, { title, day: '2026-03-02', time: nextHour(time) }]), // prettier-ignore
    *policy({ time, title }) {
      yield open('Calendar');
      yield tap('New entry');
      yield replace('Title', title);
      yield* at(time);
      const { text } = yield tap('Save entry');
      if (!text.includes('Conflict')) return;
      yield tap('Change time');
      yield* at(nextHour(time));
      yield tap('Save entry');
    },
  });

function nextHour(time: string): string {
  return `${String(Number(time.slice(0, 2)) + 1).padStart(2, '0')}:00`;
}
