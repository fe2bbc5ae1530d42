import type { GymPhone } from './gym-phone.js';

const PACKAGE = 'com.cloudphone.notes';

/** The parts of a note that a person sees. */
export interface GivenNote {
  title: string;
  body: string;
}

/** When the newest given note was changed, epoch ms; each of the others is a day older than the one before. */
const NEWEST_MS = Date.UTC(2026, 0, 20, 9);
const DAY_MS = 86_400_000;

/** Writes all notes of a phone, the newest first. */
export function setNotes(phone: GymPhone, notes: readonly GivenNote[]): Promise<void> {
  const state = notes.map((note, at) => ({ id: `given${at}`, ...note, changedMs: NEWEST_MS - at * DAY_MS }));
  return phone.setAppState(PACKAGE, 'notes.json', state);
}

/** Returns all notes, without their order. */
export async function notesOf(phone: GymPhone): Promise<GivenNote[]> {
  const state = (await phone.appState<GivenNote[]>(PACKAGE, 'notes.json')) ?? [];
  return state.map(({ title, body }) => ({ title, body }));
}

/** Returns what differs between the phone's notes and these. Undefined: they are the same, in any order. */
export async function notesLack(phone: GymPhone, wanted: readonly GivenNote[]): Promise<string | undefined> {
  const keyOf = ({ title, body }: GivenNote): string => JSON.stringify([title.trim(), body.trim()]);
  const there = (await notesOf(phone)).map(keyOf).sort();
  const expected = wanted.map(keyOf).sort();
  const missing = expected.find((key) => !there.includes(key));
  if (missing !== undefined) return `there is no note ${missing}`;
  const extra = there.find((key) => !expected.includes(key));
  if (extra !== undefined) return `there is a note ${extra}`;
  return there.length === expected.length ? undefined : `there are ${there.length} notes, not ${expected.length}`;
}
