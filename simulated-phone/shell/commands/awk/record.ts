import type { Reservation } from '../../../memory/memory-budget.js';
import { AwkError } from './awk-error.js';
import { MAX_TEXT_CHARS, cost } from './cells.js';
import { MAX_FIELDS, cutFields } from './cut-fields.js';
import type { Patterns } from './patterns.js';
import type { Steps } from './steps.js';
import type { Turns } from './turns.js';
import { inputValue, toText, type Scalar } from './values.js';

const FIELD_BYTES = 32;
/** Handling this many characters takes as long as making one field. */
const CHARS_OF_FIELD = 32;

/** The variables of an awk program that decide how a record is cut and joined. */
export interface RecordSettings {
  readonly fieldSeparator: string;
  readonly outputSeparator: string;
  readonly convfmt: string;
  /** Whether records are paragraphs, whose lines are fields too. */
  readonly isParagraph: boolean;
}

/** The record `$0` with its fields. It is cut into fields when one is read, and put together again when one was changed. */
export class InputRecord {
  readonly #settings: RecordSettings;
  readonly #patterns: Patterns;
  readonly #turns: Turns;
  readonly #memory: Reservation;
  #whole: Scalar = undefined;
  /** The fields; undefined until the record is cut. */
  #fields: Scalar[] | undefined;
  #separator = ' ';
  #isParagraph = false;
  #isChanged = false;
  #heldBytes = 0;

  constructor(settings: RecordSettings, patterns: Patterns, turns: Turns, memory: Reservation) {
    this.#settings = settings;
    this.#patterns = patterns;
    this.#turns = turns;
    this.#memory = memory;
  }

  set(text: string): void {
    this.#whole = inputValue(text);
    this.#fields = undefined;
    this.#separator = this.#settings.fieldSeparator;
    this.#isParagraph = this.#settings.isParagraph;
    this.#isChanged = false;
    this.#hold(cost(text));
  }

  *get(index: number): Steps<Scalar> {
    checkIndex(index);
    if (index > 0) return (yield* this.#cut())[index - 1];
    if (this.#isChanged) yield* this.#join();
    return this.#whole;
  }

  *assign(index: number, value: Scalar): Steps<void> {
    checkIndex(index);
    if (index === 0) {
      this.set(toText(value, this.#settings.convfmt));
      return;
    }
    const fields = yield* this.#cut();
    this.#hold(this.#heldBytes + FIELD_BYTES * Math.max(0, index - fields.length));
    while (fields.length < index) fields.push('');
    this.#hold(this.#heldBytes + 2 * (cost(value) - cost(fields[index - 1])));
    fields[index - 1] = value;
    this.#isChanged = true;
  }

  *count(): Steps<number> {
    return (yield* this.#cut()).length;
  }

  *setCount(count: number): Steps<void> {
    checkIndex(count);
    const fields = yield* this.#cut();
    const cut = fields.slice(count).reduce<number>((sum, field) => sum + cost(field), 0);
    this.#hold(this.#heldBytes + FIELD_BYTES * (count - fields.length) - 2 * cut);
    while (fields.length < count) fields.push('');
    fields.length = count;
    this.#isChanged = true;
  }

  *#cut(): Steps<Scalar[]> {
    if (this.#fields) return this.#fields;
    const text = toText(this.#whole, this.#settings.convfmt);
    const context = { patterns: this.#patterns, turns: this.#turns, linesToo: this.#isParagraph };
    const fields = (yield* cutFields(text, this.#separator, context)).map(inputValue);
    this.#fields = fields;
    this.#hold(cost(text) * 3 + fields.length * FIELD_BYTES);
    return fields;
  }

  *#join(): Steps<void> {
    const { outputSeparator, convfmt } = this.#settings;
    const texts = (this.#fields ?? []).map((field) => toText(field, convfmt));
    const chars = texts.reduce((sum, text) => sum + text.length + outputSeparator.length, 0);
    if (chars > MAX_TEXT_CHARS) throw new RangeError('a record too long');
    if (this.#turns.isDue(chars + texts.length * CHARS_OF_FIELD)) yield* this.#turns.give();
    this.#whole = inputValue(texts.join(outputSeparator));
    this.#isChanged = false;
  }

  #hold(bytes: number): void {
    if (bytes > this.#heldBytes) this.#memory.grow(bytes - this.#heldBytes);
    else this.#memory.shrink(this.#heldBytes - bytes);
    this.#heldBytes = bytes;
  }
}

function checkIndex(index: number): void {
  if (!(index >= 0)) throw new AwkError(`trying to access out of range field ${index}`);
  if (index > MAX_FIELDS) throw new RangeError('too many fields');
}
