import type { PhoneFiles } from '../../system.js';

export interface Message {
  own: boolean;
  text: string;
  /** Epoch ms. */
  timeMs: number;
}

export interface Thread {
  id: string;
  name: string;
  messages: Message[];
  /** When the other side replies, epoch ms; absent when no reply is due. */
  replyAtMs?: number;
}

const PATH = '/data/data/com.cloudphone.messages/files/threads.json';

/** The conversations as one file, written whole. */
export class ThreadStore {
  readonly #files: PhoneFiles;
  readonly #nowMs: () => number;

  constructor(files: PhoneFiles, nowMs: () => number) {
    this.#files = files;
    this.#nowMs = nowMs;
  }

  /** All threads, with the replies that are due by now. Newest first. */
  async list(): Promise<Thread[]> {
    const threads = await this.#read();
    const nowMs = this.#nowMs();
    let responded = false;
    for (const thread of threads) {
      if (thread.replyAtMs === undefined || thread.replyAtMs > nowMs) continue;
      thread.messages.push({ own: false, text: replyTo(thread), timeMs: thread.replyAtMs });
      delete thread.replyAtMs;
      responded = true;
    }
    if (responded) await this.#write(threads);
    return threads.sort((a, b) => lastMs(b) - lastMs(a));
  }

  async find(id: string): Promise<Thread | undefined> {
    return (await this.list()).find((thread) => thread.id === id);
  }

  /** Sends a text; the reply comes after `replyMs`. */
  async send(id: string, text: string, replyMs: number): Promise<void> {
    const threads = await this.list();
    let thread = threads.find((known) => known.id === id);
    if (!thread) {
      thread = { id, name: id, messages: [] };
      threads.push(thread);
    }
    const nowMs = this.#nowMs();
    thread.messages.push({ own: true, text, timeMs: nowMs });
    thread.replyAtMs = nowMs + replyMs;
    await this.#write(threads);
  }

  async #read(): Promise<Thread[]> {
    try {
      const parsed: unknown = JSON.parse((await this.#files.read(PATH)).toString('utf8'));
      if (!Array.isArray(parsed)) throw new Error(`${PATH} holds no list of threads`);
      return parsed as Thread[];
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return beginnings(this.#nowMs());
      throw error;
    }
  }

  async #write(threads: readonly Thread[]): Promise<void> {
    await this.#files.write(PATH, JSON.stringify(threads));
  }
}

const MINUTE_MS = 60_000;

function beginnings(nowMs: number): Thread[] {
  return [
    {
      id: 'mara',
      name: 'Mara Lind',
      messages: [
        { own: false, text: 'Hi! Is the new phone working?', timeMs: nowMs - 42 * MINUTE_MS },
        { own: true, text: 'It is. Everything starts in seconds.', timeMs: nowMs - 40 * MINUTE_MS },
        { own: false, text: 'Nice 🙂 Write when you are free.', timeMs: nowMs - 39 * MINUTE_MS },
      ],
    },
    {
      id: 'shop',
      name: 'Corner Shop',
      messages: [{ own: false, text: 'Your order 4711 is ready.', timeMs: nowMs - 180 * MINUTE_MS }],
    },
  ];
}

function replyTo({ messages }: Thread): string {
  const asked = messages.findLast(({ own }) => own)?.text ?? '';
  if (asked.trim().endsWith('?')) return 'Good question. Let me think about it.';
  return `Got it: “${asked.length > 60 ? `${asked.slice(0, 60)}…` : asked}”`;
}

function lastMs({ messages }: Thread): number {
  return messages.at(-1)?.timeMs ?? 0;
}
