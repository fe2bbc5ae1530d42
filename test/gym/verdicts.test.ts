import { expect } from 'chai';
import { ALL_TASKS, type AnyTask } from '../../gym/src/index.js';
import { setContacts, setMails, setShop, shopOf } from '../../gym/src/base/app-lists.js';
import { BASE_CONTACTS } from '../../gym/src/base/base-contacts.js';
import { BASE_MAILS } from '../../gym/src/base/base-mail.js';
import { MemoryPhone } from './memory-phone.js';

const SEEDS = Array.from({ length: 25 }, (_, at) => at * 7_919);

describe('the verdicts of the gym', () => {
  let template: MemoryPhone;
  before(async () => (template = await MemoryPhone.create()));

  const taskOf = (id: string): AnyTask => {
    const task = ALL_TASKS.find((one) => one.id === id);
    if (task === undefined) throw new Error(`there is no task ${id}`);
    return task;
  };

  /** Returns the verdict on a phone in the start state of a task, after some changes. */
  async function verdictOf(
    id: string,
    seed: number,
    change: (phone: MemoryPhone) => unknown,
  ): Promise<string | undefined> {
    const phone = template.copy();
    const bound = taskOf(id).at(seed);
    await bound.prepare(phone);
    await change(phone);
    return bound.verdict(phone);
  }

  it('are misses in the start state, for many seeds', async () => {
    for (const { id } of ALL_TASKS)
      for (const seed of SEEDS) expect(await verdictOf(id, seed, () => undefined), `${id}, ${seed}`).to.be.a('string');
  });

  it('see settings that no goal has named', async () => {
    const on = (phone: MemoryPhone): unknown => phone.settings.set('global airplane_mode_on', '1');
    expect(await verdictOf('settings/airplane-on', 1, on)).to.equal(undefined);
    const more = (phone: MemoryPhone): unknown => on(phone) && phone.settings.set('global wifi_on', '0');
    expect(await verdictOf('settings/airplane-on', 1, more)).to.equal('global wifi_on is 0, not 1');
  });

  it('see that a folder is no file, and that other files are gone', async () => {
    const rename = (to: string) => (phone: MemoryPhone) => phone.files.delete('/sdcard/Documents/contract.txt') && phone.files.add(`/sdcard/Documents/${to}`); // prettier-ignore
    const { to } = taskOf('files/rename').at(3).params as { to: string };
    expect(await verdictOf('files/rename', 3, rename(to))).to.equal(undefined);
    expect(await verdictOf('files/rename', 3, rename(`${to}/`))).to.include('what is in the folders');

    const { year } = taskOf('files/sort-away').at(3).params as { year: number };
    const sort = (phone: MemoryPhone): unknown => phone.files.delete(`/sdcard/Documents/tax-${year}.txt`) && phone.files.add(`/sdcard/Documents/Archive/tax-${year}.txt`); // prettier-ignore
    expect(await verdictOf('files/sort-away', 3, sort)).to.equal(undefined);
    const clear = (phone: MemoryPhone): unknown => sort(phone) && phone.files.delete('/sdcard/Documents/recipe.txt');
    expect(await verdictOf('files/sort-away', 3, clear)).to.include('what is in the folders');
  });

  it('see a consent that was given, and a search that was not allowed', async () => {
    const { product } = taskOf('interruptions/rating').at(5).params as { product: { id: string } };
    const buy = (agreed: string[]) => async (phone: MemoryPhone) =>
      setShop(phone, { ...(await shopOf(phone)), cart: { [product.id]: 1 }, agreed });
    expect(await verdictOf('interruptions/rating', 5, buy([]))).to.equal(undefined);
    expect(await verdictOf('interruptions/rating', 5, buy(['rating']))).to.include('the shop');

    const { contact } = taskOf('lists/scroll-to-contact').at(5).params as { contact: { id: string } };
    const star = (phone: MemoryPhone): Promise<void> =>
      setContacts(phone, BASE_CONTACTS.map((one) => (one.id === contact.id ? { ...one, starred: true } : one))); // prettier-ignore
    expect(await verdictOf('lists/scroll-to-contact', 5, star)).to.equal(undefined);
    const search = async (phone: MemoryPhone): Promise<void> => {
      await star(phone);
      await phone.setAppState('com.cloudphone.gym.contacts', 'search.json', { words: 'El' });
    };
    expect(await verdictOf('lists/scroll-to-contact', 5, search)).to.include('the last search is "El"');
  });

  it('see a mail that was changed beside the goal', async () => {
    const { mail } = taskOf('lists/archive-mail').at(2).params as { mail: { id: string } };
    const archive = (star: boolean) => (phone: MemoryPhone) =>
      setMails(phone, BASE_MAILS.map((one, at) => ({ ...one, starred: star && at === 0, ...(one.id === mail.id && { folder: 'archive' as const }) }))); // prettier-ignore
    expect(await verdictOf('lists/archive-mail', 2, archive(false))).to.equal(undefined);
    expect(await verdictOf('lists/archive-mail', 2, archive(true))).to.include('"starred":["m0"]');
  });

  it('accept a long timer that runs or has run to its end, and no other one', async () => {
    const { more } = taskOf('clock/long-timer').at(4).params as { more: number };
    const seconds = 60 + more * 10;
    const left = (runs: boolean, done: number, more: number) => (phone: MemoryPhone) =>
      phone.setAppState('com.cloudphone.clock', 'clock.json', { timer: { runs, seconds: seconds + more, done } });
    for (const right of [left(true, 0, 0), left(false, 1, 0)])
      expect(await verdictOf('clock/long-timer', 4, right)).to.equal(undefined);
    for (const wrong of [left(false, 0, 0), left(true, 0, 10), left(false, 1, 10), left(true, 1, 0), left(false, 2, 0)])
      expect(await verdictOf('clock/long-timer', 4, wrong)).to.include('the timer');
  });
});
