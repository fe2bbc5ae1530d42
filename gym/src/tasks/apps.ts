import { BASE_CONTACTS } from '../base/base-contacts.js';
import { BASE_NOTES } from '../base/base-notes.js';
import { webPage } from '../base/base-pages.js';
import { BASE_THREADS } from '../base/base-threads.js';
import { PAGES_FOLDER } from '../base/pages-folder.js';
import { Family } from '../family.js';
import { setMails } from '../base/app-lists.js';
import { BASE_MAILS } from '../base/base-mail.js';
import { sentLack, setThreads } from '../phone/messages.js';
import { notesLack, setNotes } from '../phone/notes.js';
import { visitsLack } from '../phone/visits.js';
import type { Action } from '../task.js';
import { go } from './browser.js';
import { writeNote } from './notes.js';
import { contactRow } from './rows.js';
import { open, tap, type } from './steps.js';

const send = (name: string, text: string): Action[] => [
  ...[open('Messages'), tap(name), type('Text message', text), tap('Send message')],
];

/** What the settings show about the model of the phones. */
const FACTS_OF_MODEL = { Screen: '720 × 1280, 320 dpi', Memory: '2048 MB' } as const;

/** Goals that need several apps. */
export const apps = new Family('apps')
  .add('price-to-message', {
    params: ({ int }) => ({ price: int(12, 88) }),
    goal: () => `Look up the price of a family ticket at file://${PAGES_FOLDER}/fair.html and send it to Mara Lind, as a number alone.`, // prettier-ignore
    prepare: (phone, { price }) =>
      phone.writeFile(`${PAGES_FOLDER}/fair.html`, webPage('Fair', `<p>Adults ${price - 7} €.</p><p>Family ticket ${price} €.</p>`)), // prettier-ignore
    verdict: (phone, { price }) => sentLack(phone, { 'Mara Lind': [String(price)] }),
    *policy() {
      const [first, second] = go(`file://${PAGES_FOLDER}/fair.html`) as [Action, Action];
      yield first;
      const { text } = yield second;
      yield* send('Mara Lind', /Family ticket (\d+) €/.exec(text)?.[1] ?? '');
    },
  })
  .add('number-of-a-contact', {
    params: ({ pick }) => ({ contact: pick(BASE_CONTACTS.slice(0, 400)) }),
    goal: ({ contact }) => `Send Jonas Weber the phone number of ${contact.name} as Contacts has it, and nothing else.`,
    verdict: (phone, { contact }) => sentLack(phone, { 'Jonas Weber': [contact.phone] }),
    *policy({ contact }) {
      yield open('Contacts');
      yield type('Search contacts', contact.name);
      const { text } = yield contactRow(contact);
      yield* send('Jonas Weber', /(\+49 40 \d+)/.exec(text)?.[1] ?? '');
    },
  })
  .add('code-to-note', {
    params: ({ int }) => ({ code: int(100_000, 999_999) }),
    goal: () => 'The bank has mailed you a code. Write a note with the title "Code" and the code as its text.',
    prepare: (phone, { code }) =>
      setMails(phone, [
        { id: 'bank', from: 'Bank', subject: 'Your code', body: `The code is ${code}. Tell nobody.`, folder: 'inbox', starred: false }, // prettier-ignore
        ...BASE_MAILS,
      ]),
    verdict: (phone, { code }) => notesLack(phone, [...BASE_NOTES, { title: 'Code', body: String(code) }]),
    *policy() {
      yield open('Mail');
      const { text } = yield tap('Your code');
      yield* writeNote('Code', /The code is (\d+)/.exec(text)?.[1] ?? '');
    },
  })
  .add('about-to-note', {
    params: ({ pick }) => ({ fact: pick(['Serial number', 'Screen', 'Memory'] as const) }),
    goal: ({ fact }) => `Write a note whose title is "${fact}" and whose text is what the settings show for it under "About phone".`, // prettier-ignore
    verdict: async (phone, { fact }) => {
      const serial = (await phone.run('getprop ro.serialno')).trim();
      const facts = { 'Serial number': serial, ...FACTS_OF_MODEL };
      return notesLack(phone, [...BASE_NOTES, { title: fact, body: facts[fact] }]);
    },
    *policy({ fact }) {
      yield open('Settings');
      const { text } = yield tap('About phone');
      yield* writeNote(fact, valueOf(text, fact));
    },
  })
  .add('note-to-browser', {
    params: ({ pick }) => ({ page: pick(['museum', 'brochure', 'pool-prices']) }),
    goal: () => 'Open the address that is in the note "Address" in the browser.',
    prepare: (phone, { page }) =>
      setNotes(phone, [{ title: 'Address', body: `file://${PAGES_FOLDER}/${page}.html` }, ...BASE_NOTES]),
    verdict: (phone, { page }) => visitsLack(phone, { last: `${page}.html` }),
    *policy() {
      const { text } = yield open('Notes');
      yield* go(/(file:\/\/\S+\.html)/.exec(text)?.[1] ?? '');
    },
  })
  .add('message-to-file', {
    params: ({ pick, int }) => ({ name: `${pick(['Spain', 'Norway', 'Japan'])} ${int(2020, 2030)}` }),
    goal: () => 'Priya Nair has written which folder you shall make in Pictures. Make it, and reply "done".',
    prepare: (phone, { name }) =>
      setThreads(phone, BASE_THREADS.map((thread) => (thread.name === 'Priya Nair' ? { ...thread, messages: [`Please make a folder named: ${name}`] } : thread))), // prettier-ignore
    verdict: async (phone, { name }) =>
      (await phone.list('/sdcard/Pictures'))?.includes(`${name}/`) === true
        ? sentLack(phone, { 'Priya Nair': ['done'] })
        : 'the folder is missing',
    *policy() {
      yield open('Messages');
      const { text } = yield tap('Priya Nair');
      yield open('Files');
      yield { scroll: { direction: 'down', until: { text: 'Pictures' } } };
      yield tap('Pictures');
      yield tap('New folder');
      yield type('Name', /folder named: (\w+ \d+)/.exec(text)?.[1] ?? '');
      yield tap('Create');
      yield open('Messages');
      yield type('Text message', 'done');
      yield tap('Send message');
    },
  });

/** Returns what a row shows below its title, in lines of elements. */
function valueOf(text: string, title: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes(`"${title}`));
  const row = new RegExp(`"${title}, ([^"]+)"`).exec(lines[at] ?? '')?.[1];
  return row ?? /"([^"]*)"/.exec(lines[at + 1] ?? '')?.[1] ?? '';
}
