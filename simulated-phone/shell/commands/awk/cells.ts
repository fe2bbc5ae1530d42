import type { Reservation } from '../../../memory/memory-budget.js';
import { inLoopOrder } from './array-order.js';
import { AwkError } from './awk-error.js';
import type { Steps } from './steps.js';
import type { Turns } from './turns.js';
import type { Scalar } from './values.js';

/** The longest text that a script can make, characters. */
export const MAX_TEXT_CHARS = 2 * 1024 * 1024;

/** Bytes that an element of an array or a field takes in addition to its text. */
const ELEMENT_BYTES = 64;

/** Returns a text. Throws RangeError for one that is too long, which ends awk as out of memory. */
export function boundedText(text: string): string {
  if (text.length > MAX_TEXT_CHARS) throw new RangeError('a text too long');
  return text;
}

/** Returns the memory of a value: two bytes for each character. */
export function cost(value: Scalar): number {
  if (typeof value === 'string') return 2 * value.length;
  return typeof value === 'object' ? 2 * value.text.length : 0;
}

/** A variable or parameter: a scalar or an array. */
export class Cell {
  #value: Scalar;
  #array: AwkArray | undefined;
  #ownsArray = false;
  readonly #name: string;
  readonly #memory: Reservation;
  /** The untyped variable that was passed for this parameter. When the parameter is used as an array, the variable becomes that array. */
  readonly #passed: Cell | undefined;

  constructor(name: string, memory: Reservation, passed?: Cell) {
    this.#name = name;
    this.#memory = memory;
    this.#passed = passed;
  }

  get isUntyped(): boolean {
    return this.#array === undefined && this.#value === undefined;
  }

  get isArray(): boolean {
    return this.#array !== undefined;
  }

  get value(): Scalar {
    if (this.#array) throw new AwkError(`can't read value of ${this.#name}; it's an array name.`);
    return this.#value;
  }

  set value(value: Scalar) {
    if (this.#array) throw new AwkError(`can't assign to ${this.#name}; it's an array name.`);
    charge(this.#memory, cost(value) - cost(this.#value));
    this.#value = value;
  }

  /** The array; it is made when there is no value yet. */
  get array(): AwkArray {
    if (this.#array) return this.#array;
    if (this.#value !== undefined) throw new AwkError(`can't use ${this.#name} as array`);
    this.#ownsArray = this.#passed === undefined;
    return (this.#array = this.#passed?.array ?? new AwkArray(this.#memory));
  }

  /** Passes an array by reference. */
  share(array: AwkArray): void {
    this.#array = array;
  }

  /** Gives back the memory of a parameter, when its function returns. */
  release(): void {
    if (this.#ownsArray) this.#array?.clear();
    else if (!this.#array) this.value = undefined;
  }
}

/** An array of the language: values by text. */
export class AwkArray {
  readonly #values = new Map<string, Scalar>();
  readonly #memory: Reservation;
  #bytes = 0;

  constructor(memory: Reservation) {
    this.#memory = memory;
  }

  get size(): number {
    return this.#values.size;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Returns the element, which is made where it is not there. */
  get(key: string): Scalar {
    if (!this.#values.has(key)) this.set(key, undefined);
    return this.#values.get(key);
  }

  set(key: string, value: Scalar): void {
    const added = this.#values.has(key) ? 0 : ELEMENT_BYTES + cost(key);
    this.#charge(added + cost(value) - cost(this.#values.get(key)));
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (!this.#values.has(key)) return;
    this.#charge(-(ELEMENT_BYTES + cost(key) + cost(this.#values.get(key))));
    this.#values.delete(key);
  }

  clear(): void {
    this.#charge(-this.#bytes);
    this.#values.clear();
  }

  /** Returns the keys in the order of a loop. */
  *keys(turns: Turns): Steps<string[]> {
    return yield* inLoopOrder(this.#values.keys(), turns);
  }

  #charge(bytes: number): void {
    charge(this.#memory, bytes);
    this.#bytes += bytes;
  }
}

function charge(memory: Reservation, bytes: number): void {
  if (bytes > 0) memory.grow(bytes);
  else if (bytes < 0) memory.shrink(-bytes);
}

/** Returns a copy of `part` where `part` would otherwise keep the whole of a long `text` in memory. */
export function detached(part: string, text: string): string {
  const keepsMore = text.length > 4_096 && part.length < text.length / 2;
  return keepsMore ? Buffer.from(part, 'utf16le').toString('utf16le') : part;
}
