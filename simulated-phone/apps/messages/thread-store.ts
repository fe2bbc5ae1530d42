import type { PhoneFiles } from '../../system/system.js';
import { JsonList } from '../json-list.js';

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

export class ThreadStore {
  readonly #threads: JsonList<Thread>;
  readonly #nowMs: () => number;

  constructor(files: PhoneFiles, nowMs: () => number) {
    this.#threads = new JsonList(files, '/data/data/com.cloudphone.messages/files/threads.json');
    this.#nowMs = nowMs;
  }

  /** Returns all threads, the newest first, with the replies that are due by now. */
  async list(): Promise<Thread[]> {
    return [...(await this.#threads.change((threads) => this.#withReplies(threads)))].sort(
      (a, b) => lastMs(b) - lastMs(a),
    );
  }

  async find(id: string): Promise<Thread | undefined> {
    return (await this.list()).find((thread) => thread.id === id);
  }

  /** Sends a text; the reply comes after `replyMs`. */
  async send(id: string, text: string, replyMs: number): Promise<void> {
    await this.#threads.change((before) => {
      const threads = this.#withReplies(before);
      const nowMs = this.#nowMs();
      const { name, messages } = threads.find((known) => known.id === id) ?? { name: id, messages: [] };
      const sent = [...messages, { own: true, text, timeMs: nowMs }];
      return [...threads.filter((known) => known.id !== id), { id, name, messages: sent, replyAtMs: nowMs + replyMs }];
    });
  }

  /** Adds the replies that are due. Returns the same list when none is. */
  #withReplies(threads: Thread[] = beginnings(this.#nowMs())): Thread[] {
    const isDue = ({ replyAtMs }: Thread): boolean => replyAtMs !== undefined && replyAtMs <= this.#nowMs();
    if (!threads.some(isDue)) return threads;
    return threads.map((thread) => {
      const { id, name, messages, replyAtMs = 0 } = thread;
      if (!isDue(thread)) return thread;
      return { id, name, messages: [...messages, { own: false, text: replyTo(thread), timeMs: replyAtMs }] };
    });
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
