import type { StringPool } from './string-pool.js';

export const ValueType = { REFERENCE: 0x01, STRING: 0x03, DYNAMIC_REFERENCE: 0x07, BOOLEAN: 0x12 } as const;

/** A typed value of a manifest or a resource table: `type` is Android's data type, `data` its 32 bits. */
export class ResourceValue {
  readonly type: number;
  readonly data: number;
  readonly #strings: StringPool | undefined;
  readonly #textIndex: number;

  constructor(type: number, data: number, strings: StringPool | undefined, textIndex: number) {
    this.type = type;
    this.data = data;
    this.#strings = strings;
    this.#textIndex = textIndex;
  }

  /** The string that the value refers to. It is decoded on demand, as most strings are never needed. */
  get text(): string | undefined {
    return this.#strings?.get(this.#textIndex);
  }

  get isReference(): boolean {
    return this.type === ValueType.REFERENCE || this.type === ValueType.DYNAMIC_REFERENCE;
  }
}
