import { SIGKILL, SIGNALS } from './signals.js';

/** The texts that a shell runs on signals, on its end (`EXIT`) and on errors (`ERR`). An empty text: the signal is ignored. */
export class ShellTraps {
  readonly #texts = new Map<string, string>();
  /** Signals that have come and whose text did not run yet. */
  #pending: string[] = [];
  readonly #listeners = new Set<() => void>();

  get(name: string): string | undefined {
    return this.#texts.get(name);
  }

  /** Sets a trap. Throws RangeError for a text that is too long. */
  set(name: string, text: string): void {
    if (text.length > MAX_TEXT_CHARS) throw new RangeError('a trap too long');
    this.#texts.set(name, text);
  }

  delete(name: string): void {
    this.#texts.delete(name);
  }

  list(): [name: string, text: string][] {
    return [...this.#texts];
  }

  /** Takes over the traps with which a subshell begins: ignored signals stay ignored. */
  inherit(from: ShellTraps): void {
    for (const [name, text] of from.#texts) if (text === '') this.#texts.set(name, text);
  }

  /** Stores a signal until its trap runs. Returns false when the signal has no trap, and so has its usual effect. */
  receive(signal: number): boolean {
    const name = SIGNALS.get(signal) ?? '';
    const text = this.#texts.get(name);
    if (text === undefined || signal === SIGKILL) return false;
    if (text !== '' && this.#pending.length < MAX_PENDING) this.#pending.push(name);
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Returns the texts to run for the signals that have come, once. */
  takePending(): string[] {
    if (this.#pending.length === 0) return [];
    const texts = this.#pending.map((name) => this.#texts.get(name) ?? '');
    this.#pending = [];
    return texts;
  }

  /** Calls `listener` at each trapped signal until the returned function is called. */
  onSignal(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

const MAX_PENDING = 100;
const MAX_TEXT_CHARS = 64 * 1024;
