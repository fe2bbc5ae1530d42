import { characterKey } from './keyboard.ts';
import type { InputEvent } from './live-connection.ts';

interface Parts {
  /** Sends over the live connection. */
  sendEvents: (events: readonly InputEvent[]) => void;
  /** Types text of any script into the focused field; resolves when the phone has it. */
  typeText: (text: string) => Promise<void>;
  onError: (error: Error) => void;
}

/**
 * Text goes by requests of its own, of which a device has 120 a minute; so texts that come within this time go together, ms. A phone's
 * own keys go over the live connection at once.
 */
const TEXT_EVERY_MS = 700;

type Task = { text: string } | { events: InputEvent[] };

/** Sends touches, keys and text to the phone in the order of their arrival, although they take different paths. */
export class Typist {
  readonly #parts: Parts;
  readonly #waiting: Task[] = [];
  #isTyping = false;
  #lastTextMs = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keys and touches. */
  send(events: readonly InputEvent[]): void {
    const last = this.#waiting.at(-1);
    if (last === undefined && !this.#isTyping) this.#parts.sendEvents(events);
    else if (last !== undefined && 'events' in last) last.events.push(...events);
    else this.#waiting.push({ events: [...events] });
  }

  /** Text of any script. */
  type(text: string): void {
    const keys = Array.from(text, characterKey);
    const last = this.#waiting.at(-1);
    if (last !== undefined && 'text' in last) {
      last.text += text;
    } else if (text.length <= 4 && keys.every((key) => key !== undefined)) {
      this.send(keys.map((name) => ({ key: { name } })));
    } else {
      this.#waiting.push({ text });
      void this.#work();
    }
  }

  async #work(): Promise<void> {
    if (this.#isTyping) return;
    this.#isTyping = true;
    try {
      for (let task = this.#waiting[0]; task !== undefined; task = this.#waiting[0]) {
        if ('text' in task) {
          const pauseMs = this.#lastTextMs + TEXT_EVERY_MS - performance.now();
          if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          this.#lastTextMs = performance.now();
          this.#waiting.shift();
          await this.#parts.typeText(task.text);
        } else {
          this.#waiting.shift();
          this.#parts.sendEvents(task.events);
        }
      }
    } catch (error) {
      // Text typed later was meant to follow it.
      this.#waiting.length = 0;
      this.#parts.onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isTyping = false;
    }
  }
}
