import type { Reservation } from '../memory/memory-budget.js';
import { ShellError } from './shell-exits.js';

/** The attributes that `typeset` gives a variable: how each new value is changed, and whether it may get one. */
export interface VariableAttributes {
  readOnly?: true;
  /** `-i`: values are expressions. The base in which the number is kept. */
  integerBase?: number;
  letters?: 'upper' | 'lower';
  justified?: { side: 'left' | 'right' | 'zeros'; width: number };
  /** `-n`: the name of the variable that this one stands for. */
  reference?: string;
}

/** Everything about one variable, while a local one of the same name is in its place. Its memory stays reserved. */
interface Shelved {
  value: string | undefined;
  elements: Map<number, string> | undefined;
  attributes: VariableAttributes | undefined;
}

/**
 * The variables of one shell, which take room in its memory. `x` is the element 0 of the array `x`. Methods that write throw OutOfMemory,
 * and ShellError for a variable that may not change.
 */
export class ShellVariables extends Map<string, string> {
  readonly #memory: Reservation;
  /** The elements of arrays from 1 on. */
  readonly #elements = new Map<string, Map<number, string>>();
  readonly #attributes = new Map<string, VariableAttributes>();
  /** Evaluates an expression, for variables of `typeset -i`. */
  evaluate: (expression: string) => number = Number;

  constructor(memory: Reservation, from: Iterable<readonly [string, string]>) {
    super();
    this.#memory = memory;
    for (const [name, value] of from) this.set(name, value);
    if (!(from instanceof ShellVariables)) return;
    for (const [name, attributes] of from.#attributes) {
      memory.grow(ATTRIBUTES_BYTES);
      this.#attributes.set(name, attributes);
    }
    for (const [name, elements] of from.#elements)
      for (const [index, value] of elements) this.#store(name, index, value);
  }

  override get(name: string): string | undefined {
    return super.get(this.resolved(name));
  }

  override has(name: string): boolean {
    return super.has(this.resolved(name));
  }

  override set(name: string, value: string): this {
    const target = this.#attributes.size === 0 ? name : this.resolved(name);
    return this.#put(target, this.#shaped(target, value));
  }

  override delete(name: string): boolean {
    this.#checkWritable(name);
    const before = super.get(name);
    if (before !== undefined) this.#memory.shrink(cost(name, before));
    for (const index of [...(this.#elements.get(name)?.keys() ?? [])]) this.#drop(name, index);
    if (this.#attributes.delete(name)) this.#memory.shrink(ATTRIBUTES_BYTES);
    return super.delete(name);
  }

  /** Returns the variable that a name of `typeset -n` stands for; other names stand for themselves. */
  resolved(name: string): string {
    let target = name;
    for (let steps = 0; steps < MAX_REFERENCES; steps++) {
      const next = this.#attributes.get(target)?.reference;
      if (next === undefined) return target;
      target = next;
    }
    throw new ShellError(1, `${name}: nameref loop`);
  }

  /** Returns the subscripts of an array that are set, ascending. */
  indexes(name: string): number[] {
    const target = this.resolved(name);
    const others = [...(this.#elements.get(target)?.keys() ?? [])].sort((a, b) => a - b);
    return super.has(target) ? [0, ...others] : others;
  }

  /** Returns how many elements of an array are set. */
  count(name: string): number {
    const target = this.resolved(name);
    return (super.has(target) ? 1 : 0) + (this.#elements.get(target)?.size ?? 0);
  }

  element(name: string, index: number): string | undefined {
    return index === 0 ? this.get(name) : this.#elements.get(this.resolved(name))?.get(index);
  }

  setElement(name: string, index: number, value: string): void {
    if (index === 0) this.set(name, value);
    else this.#store(this.resolved(name), index, this.#shaped(this.resolved(name), value));
  }

  deleteElement(name: string, index: number): void {
    const target = this.resolved(name);
    this.#checkWritable(target);
    if (index !== 0) {
      this.#drop(target, index);
      return;
    }
    const before = super.get(target);
    if (before !== undefined) this.#memory.shrink(cost(target, before));
    super.delete(target);
  }

  /** Makes an array of `values`. With `append`, they are added after the present elements. */
  setArray(name: string, values: readonly string[], options: { append: boolean }): void {
    const target = this.resolved(name);
    this.#checkWritable(target);
    let start = options.append && super.has(target) ? 1 : 0;
    if (options.append)
      for (const index of this.#elements.get(target)?.keys() ?? []) start = Math.max(start, index + 1);
    if (!options.append) for (const index of this.indexes(target)) this.deleteElement(target, index);
    values.forEach((value, at) => this.setElement(target, start + at, value));
  }

  attributes(name: string): VariableAttributes {
    return this.#attributes.get(name) ?? {};
  }

  /** Adds attributes; the present value takes their form. */
  addAttributes(name: string, attributes: VariableAttributes): void {
    const before = this.#attributes.get(name);
    if (!before) this.#memory.grow(ATTRIBUTES_BYTES);
    const { readOnly, ...shape } = { ...before, ...attributes };
    this.#attributes.set(name, shape);
    const value = shape.reference === undefined ? super.get(name) : undefined;
    if (value !== undefined) this.set(name, value);
    if (readOnly) this.#attributes.set(name, { ...shape, readOnly });
  }

  removeAttributes(name: string, kinds: readonly (keyof VariableAttributes)[]): void {
    this.#checkWritable(name);
    const before = this.#attributes.get(name);
    if (!before) return;
    this.#attributes.set(name, Object.fromEntries(Object.entries(before).filter(([kind]) => !kinds.some((one) => one === kind)))); // prettier-ignore
  }

  /** Returns the names with an attribute, for lists. */
  namesWith(kind: keyof VariableAttributes): string[] {
    return [...this.#attributes].filter(([, attributes]) => attributes[kind] !== undefined).map(([name]) => name);
  }

  /** Sets a variable aside until `unshelve`. */
  shelve(name: string): Shelved {
    this.#checkWritable(name);
    const shelved = {
      value: super.get(name),
      elements: this.#elements.get(name),
      attributes: this.#attributes.get(name),
    };
    super.delete(name);
    this.#elements.delete(name);
    this.#attributes.delete(name);
    return shelved;
  }

  /** Puts a variable back, in place of the present one of its name. */
  unshelve(name: string, { value, elements, attributes }: Shelved): void {
    const { readOnly, ...others } = this.#attributes.get(name) ?? {};
    if (readOnly) this.#attributes.set(name, others);
    this.delete(name);
    if (value !== undefined) super.set(name, value);
    if (elements) this.#elements.set(name, elements);
    if (attributes) this.#attributes.set(name, attributes);
  }

  #shaped(name: string, value: string): string {
    const attributes = this.#attributes.get(name);
    if (!attributes) return value;
    this.#checkWritable(name);
    const { integerBase, letters, justified } = attributes;
    let shaped = value;
    if (integerBase !== undefined) {
      const number = this.evaluate(value);
      shaped = integerBase === 10 ? String(number) : `${integerBase}#${(number >>> 0).toString(integerBase)}`;
    }
    if (letters) shaped = letters === 'upper' ? shaped.toUpperCase() : shaped.toLowerCase();
    if (!justified) return shaped;
    const { side, width } = justified;
    if (side === 'left') return shaped.trimStart().slice(0, width).padEnd(width);
    const fill = side === 'zeros' && /^\d/.test(shaped.trimStart()) ? '0' : ' ';
    return shaped.trimEnd().slice(-width).padStart(width, fill);
  }

  #checkWritable(name: string): void {
    if (this.#attributes.get(name)?.readOnly) throw new ShellError(2, `read-only: ${name}`);
  }

  #put(name: string, value: string): this {
    this.#memory.grow(cost(name, value));
    const before = super.get(name);
    if (before !== undefined) this.#memory.shrink(cost(name, before));
    return super.set(name, value);
  }

  #store(name: string, index: number, value: string): void {
    this.#drop(name, index);
    let elements = this.#elements.get(name);
    if (!elements) this.#elements.set(name, (elements = new Map<number, string>()));
    if (elements.size >= MAX_ELEMENTS) throw new RangeError('an array too long');
    this.#memory.grow(cost('', value));
    elements.set(index, value);
  }

  #drop(name: string, index: number): void {
    const elements = this.#elements.get(name);
    const before = elements?.get(index);
    if (!elements || before === undefined) return;
    this.#memory.shrink(cost('', before));
    elements.delete(index);
    if (elements.size === 0) this.#elements.delete(name);
  }
}

const MAX_REFERENCES = 10;
/** Most elements of an array, as its subscripts are sorted each time that it is listed. */
const MAX_ELEMENTS = 100_000;
const ATTRIBUTES_BYTES = 128;

/** Returns the memory of a variable: two bytes for each character, and the entry. */
function cost(name: string, value: string): number {
  return 2 * (name.length + value.length) + 64;
}
