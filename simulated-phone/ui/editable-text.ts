import { clusters } from './graphemes.js';

/** Longest text of a field, characters. What is typed or pasted beyond it is cut off. */
const MAX_CHARS = 100_000;

/**
 * Text being edited: a caret, and a selection from `anchor` to the caret. Offsets never split a letter that consists of several code
 * points.
 */
export class EditableText {
  #text: string;
  #caret: number;
  #anchor: number;

  constructor(text = '') {
    this.#text = text;
    this.#caret = text.length;
    this.#anchor = text.length;
  }

  get text(): string {
    return this.#text;
  }

  get caret(): number {
    return this.#caret;
  }

  get selection(): { from: number; to: number } {
    return { from: Math.min(this.#caret, this.#anchor), to: Math.max(this.#caret, this.#anchor) };
  }

  get selectedText(): string {
    const { from, to } = this.selection;
    return this.#text.slice(from, to);
  }

  replaceAll(text: string): void {
    this.#text = text.slice(0, MAX_CHARS);
    this.place(this.#text.length);
  }

  place(offset: number, extend = false): void {
    this.#caret = Math.max(0, Math.min(this.#text.length, offset));
    if (!extend) this.#anchor = this.#caret;
  }

  selectAll(): void {
    this.#anchor = 0;
    this.#caret = this.#text.length;
  }

  /** Inserts a text. A part that does not fit is cut off. */
  insert(added: string): void {
    const { from, to } = this.selection;
    const text = added.slice(0, Math.max(0, MAX_CHARS - this.#text.length + to - from));
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
    this.place(from + text.length);
  }

  /** Deletes the selection, or the letter before the caret. Returns whether anything was deleted. */
  deleteBefore(): boolean {
    if (this.selectedText === '') this.#anchor = this.#before();
    return this.#cut();
  }

  /** Deletes the selection, or the letter after the caret. */
  deleteAfter(): boolean {
    if (this.selectedText === '') this.#anchor = this.#after();
    return this.#cut();
  }

  left(extend = false): void {
    const { from } = this.selection;
    this.place(!extend && this.selectedText !== '' ? from : this.#before(), extend);
  }

  right(extend = false): void {
    const { to } = this.selection;
    this.place(!extend && this.selectedText !== '' ? to : this.#after(), extend);
  }

  lineStart(extend = false): void {
    this.place(this.#text.lastIndexOf('\n', this.#caret - 1) + 1, extend);
  }

  lineEnd(extend = false): void {
    const end = this.#text.indexOf('\n', this.#caret);
    this.place(end < 0 ? this.#text.length : end, extend);
  }

  #cut(): boolean {
    const { from, to } = this.selection;
    if (from === to) return false;
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.place(from);
    return true;
  }

  #before(): number {
    const last = clusters(this.#text.slice(0, this.#caret)).at(-1);
    return this.#caret - (last?.length ?? 0);
  }

  #after(): number {
    const next = clusters(this.#text.slice(this.#caret))[0];
    return this.#caret + (next?.length ?? 0);
  }
}
