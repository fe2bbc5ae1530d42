import { serviceWord } from '../../phone/adb/service-name.js';

/** Records every service name that arrived at adbd, so that a test can prove that a refused name never arrived. The record is bounded. */
export class ServiceRecord {
  readonly #counts = new Map<string, number>();
  #recent: string[] = [];

  add(name: string): void {
    const word = serviceWord(name);
    if (this.#counts.size < MAX_WORDS || this.#counts.has(word))
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    this.#recent.push(name.slice(0, MAX_NAME_CHARS));
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT);
  }

  /** Returns how often a service was requested, by its word: `reboot`, `shell`, `sync`, `tcp`. */
  count(word: string): number {
    return this.#counts.get(word) ?? 0;
  }

  /** Returns the newest names as they came, oldest first, at least the last 500. */
  recent(): readonly string[] {
    return this.#recent;
  }

  clear(): void {
    this.#counts.clear();
    this.#recent = [];
  }
}

const MAX_RECENT = 500;
const MAX_NAME_CHARS = 512;
const MAX_WORDS = 256;
