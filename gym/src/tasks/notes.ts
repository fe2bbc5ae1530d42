import { BASE_NOTES } from '../base/base-notes.js';
import { Family } from '../family.js';
import { type GivenNote, notesLack, setNotes } from '../phone/notes.js';
import type { Action } from '../task.js';
import { far, find, open, replace, tap, type } from './steps.js';

const NAMES = ['Garden', 'Holiday', 'Piano', 'Kitchen', 'Insurance', 'Winter tyres'];

/** The notes of the template, with some changed. `undefined`: the note is gone. */
const changed = (changes: Record<string, Partial<GivenNote> | undefined>): GivenNote[] =>
  BASE_NOTES.flatMap((note) => {
    if (!(note.title in changes)) return [note];
    const change = changes[note.title];
    return change === undefined ? [] : [{ ...note, ...change }];
  });

export const writeNote = (title: string, body: string): Action[] => [
  ...[open('Notes'), tap('New note'), type('Title', title)],
  ...(body === '' ? [] : [type('Note', body)]),
  tap('Save'),
];

const remove = (title: string): Action[] => [tap(title), tap('Delete note'), tap('Delete')];

/** Notes, read from the file that the app keeps. The other notes must stay as they are. */
export const notes = new Family('notes')
  .add('write', {
    params: ({ pick, int }) => ({ title: `${pick(NAMES)} ${int(10, 99)}` }),
    goal: ({ title }) => `Write a note with the title "${title}" and no text.`,
    verdict: (phone, { title }) => notesLack(phone, [...BASE_NOTES, { title, body: '' }]),
    policy: ({ title }) => writeNote(title, ''),
  })
  .add('write-with-text', {
    params: ({ pick, int }) => ({ title: pick(NAMES), body: `Call ${int(1000, 9999)}` }),
    goal: ({ title, body }) => `Write a note with the title "${title}" and the text "${body}".`,
    verdict: (phone, { title, body }) => notesLack(phone, [...BASE_NOTES, { title, body }]),
    policy: ({ title, body }) => writeNote(title, body),
  })
  .add('rename', {
    params: ({ pick }) => ({ from: pick(['Books', 'Plants', 'Bicycle']), to: pick(['To do', 'Later', 'At home']) }),
    goal: ({ from, to }) => `Change the title of the note "${from}" to "${to}". Its text stays.`,
    verdict: (phone, { from, to }) => notesLack(phone, changed({ [from]: { title: to } })),
    policy: ({ from, to }) => [open('Notes'), find(from), tap(from), replace('Title', to), tap('Save')],
  })
  .add('new-text', {
    // These days all end in "th".
    params: ({ int }) => ({ day: int(4, 20) }),
    goal: ({ day }) => `The note "Plants" is out of date. Its text must be: Water the ficus on the ${day}th`,
    verdict: (phone, { day }) => notesLack(phone, changed({ Plants: { body: `Water the ficus on the ${day}th` } })),
    policy: ({ day }) => [
      open('Notes'),
      find('Plants'),
      tap('Plants'),
      replace('Note', `Water the ficus on the ${day}th`),
      tap('Save'),
    ],
  })
  .add('delete', {
    params: ({ pick }) => ({ title: pick(['Gift ideas', 'Measures', 'Wi-Fi of the cabin']) }),
    goal: ({ title }) => `Delete the note "${title}".`,
    verdict: (phone, { title }) => notesLack(phone, changed({ [title]: undefined })),
    policy: ({ title }) => [open('Notes'), find(title), ...remove(title)],
  })
  .add('delete-all-old', {
    params: ({ sample }) => ({ old: sample(NAMES, 3).map((name) => `Old: ${name}`) }),
    goal: () => 'Delete all notes whose title begins with "Old:".',
    prepare: (phone, { old }) => setNotes(phone, [...old.map((title) => ({ title, body: '' })), ...BASE_NOTES]),
    verdict: (phone) => notesLack(phone, BASE_NOTES),
    *policy() {
      for (let seen = yield open('Notes'); ;) {
        const title = /"(Old: [^"]*)"/.exec(seen.text)?.[1];
        if (title === undefined) return;
        yield tap(title);
        yield tap('Delete note');
        seen = yield tap('Delete');
      }
    },
  })
  .add('among-90', {
    params: ({ int }) => ({ number: int(20, 34) }),
    goal: ({ number }) => `Delete the note "Protocol ${number}" and no other.`,
    prepare: (phone) => setNotes(phone, protocols()),
    verdict: (phone, { number }) =>
      notesLack(phone, protocols().filter(({ title }) => title !== `Protocol ${number}`)), // prettier-ignore
    policy: ({ number }) => [open('Notes'), ...far(`Protocol ${number}`), ...remove(`Protocol ${number}`)],
  })
  .add('same-title', {
    params: ({ pick }) => ({ wrong: pick(['Paint it red', 'Paint it blue', 'Paint it green']) }),
    goal: ({ wrong }) => `Three notes have the title "Fence". Delete the one with the text "${wrong}".`,
    prepare: (phone) => setNotes(phone, [...fences(), ...BASE_NOTES]),
    verdict: (phone, { wrong }) => notesLack(phone, [...fences().filter(({ body }) => body !== wrong), ...BASE_NOTES]),
    policy: ({ wrong }) => [open('Notes'), ...remove(wrong)],
  })
  .add('oldest', {
    params: ({ int }) => ({ code: int(1000, 9999) }),
    goal: () => 'Find the oldest note, and write its text as the title of a new note without text.',
    prepare: (phone, { code }) => setNotes(phone, [...BASE_NOTES, { title: 'First of all', body: `Locker ${code}` }]),
    verdict: (phone, { code }) =>
      notesLack(phone, [...BASE_NOTES, { title: 'First of all', body: `Locker ${code}` }, { title: `Locker ${code}`, body: '' }]), // prettier-ignore
    *policy() {
      yield open('Notes');
      const { text } = yield find('First of all');
      yield tap('New note');
      yield type('Title', /(Locker \d+)/.exec(text)?.[1] ?? '');
      yield tap('Save');
    },
  })
  .add('cross-off', {
    params: ({ pick }) => ({ item: pick(['Oat milk', 'Rye bread', 'Apples']) }),
    goal: ({ item }) => `You have bought "${item}". Remove that line from the note "Shopping"; the other lines stay.`,
    verdict: (phone, { item }) => notesLack(phone, changed({ Shopping: { body: without(item) } })),
    policy: ({ item }) => [open('Notes'), tap('Shopping'), replace('Note', without(item)), tap('Save')],
  });

const protocols = (): GivenNote[] =>
  Array.from({ length: 90 }, (_, at) => ({ title: `Protocol ${at + 1}`, body: `Meeting ${at + 1}` }));

const fences = (): GivenNote[] =>
  ['Paint it green', 'Paint it red', 'Paint it blue'].map((body) => ({ title: 'Fence', body }));

const without = (item: string): string =>
  ['Oat milk', 'Rye bread', 'Apples'].filter((line) => line !== item).join('\n');
