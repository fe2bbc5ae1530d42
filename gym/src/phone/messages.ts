import type { GymPhone } from './gym-phone.js';

const PACKAGE = 'com.cloudphone.messages';

/** A conversation before the task: texts of the other side. */
export interface GivenThread {
  name: string;
  messages: readonly string[];
}

interface Thread {
  id: string;
  name: string;
  messages: { own: boolean; text: string; timeMs: number }[];
}

const NEWEST_MS = Date.UTC(2026, 0, 20, 9);
const MINUTE_MS = 60_000;

/** Writes all conversations of a phone, the newest first. */
export function setThreads(phone: GymPhone, threads: readonly GivenThread[]): Promise<void> {
  const state = threads.map(({ name, messages }, at): Thread => ({
    id: `given${at}`,
    name,
    messages: messages.map((text, index) => ({
      own: false,
      text,
      timeMs: NEWEST_MS - at * 60 * MINUTE_MS - (messages.length - index) * MINUTE_MS,
    })),
  }));
  return phone.setAppState(PACKAGE, 'threads.json', state);
}

/** Returns the texts that were sent from the phone, by the name of the receiver. */
export async function sentTexts(phone: GymPhone): Promise<Record<string, string[]>> {
  const threads = (await phone.appState<Thread[]>(PACKAGE, 'threads.json')) ?? [];
  const sent = threads.map(
    ({ name, messages }) => [name, messages.filter(({ own }) => own).map(({ text }) => text)] as const,
  );
  return Object.fromEntries(sent.filter(([, texts]) => texts.length > 0));
}

/** Returns how the sent texts differ from these. Undefined: exactly these were sent. */
export async function sentLack(phone: GymPhone, wanted: Record<string, string[]>): Promise<string | undefined> {
  const sent = await sentTexts(phone);
  for (const [name, texts] of Object.entries(wanted))
    if (JSON.stringify(sent[name] ?? []) !== JSON.stringify(texts))
      return `${name} got ${JSON.stringify(sent[name] ?? [])}, not ${JSON.stringify(texts)}`;
  const other = Object.keys(sent).find((name) => !(name in wanted));
  return other === undefined ? undefined : `${other} got a message`;
}
