import { plainLine } from './plain-text.js';
import type { Terminal } from './terminal.js';

const BAR_CHARS = 24;

/** A line of progress on a terminal, drawn over itself. Nothing is drawn where nobody sees it. */
export class Progress {
  readonly #terminal: Terminal;
  #shown = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Shows what is under way, and how far it is, in percent. */
  show(label: string, percent: number): void {
    if (!this.#terminal.showsProgress) return;
    const done = Math.round((Math.min(Math.max(percent, 0), 100) / 100) * BAR_CHARS);
    const text = `${plainLine(label)} [${'#'.repeat(done)}${'.'.repeat(BAR_CHARS - done)}] ${Math.floor(percent)}%`;
    if (text === this.#shown) return;
    this.#shown = text;
    this.#terminal.draw(`\r${text}\u001b[K`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#shown !== '') this.#terminal.draw('\r\u001b[K');
    this.#shown = '';
  }
}
