import { ApiError } from '../../kit/errors.js';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A Map, so that no key (`__proto__`, `constructor`) means anything but itself, and repeats are seen. */
export type JsonObject = Map<string, JsonValue>;

/** Deeper than any message of ours, shallow enough for the stack. */
const MOST_DEPTH = 32;

/**
 * Reads one JSON value (RFC 8259) and says where a fault is. JSON.parse would take the last of two equal keys in silence and
 * tells positions only sometimes; both matter to people who write requests by hand.
 *
 * Throws bad_request with line and column for syntax faults, repeated keys, nesting deeper than 32 and lone surrogates.
 */
export function parseJson(text: string): JsonValue {
  return new Reader(text).document();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    this.#skipSpace();
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('nothing may follow the value');
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > MOST_DEPTH) this.#fail(`nested deeper than ${MOST_DEPTH} levels`);
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b: // {
        return this.#object(depth);
      case 0x5b: // [
        return this.#array(depth);
      case 0x22: // "
        return this.#string();
      case 0x74: // t
        return this.#word('true', true);
      case 0x66: // f
        return this.#word('false', false);
      case 0x6e: // n
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = new Map();
    this.#at++;
    this.#skipSpace();
    if (this.#take(0x7d)) return object;
    for (;;) {
      const keyAt = this.#at;
      if (this.#text.charCodeAt(this.#at) !== 0x22) this.#fail('expected a name in double quotes');
      const key = this.#string();
      if (object.has(key)) {
        this.#at = keyAt;
        this.#fail(`the name ${shorten(key)} is given twice`);
      }
      this.#skipSpace();
      if (!this.#take(0x3a)) this.#fail('expected ":"');
      this.#skipSpace();
      object.set(key, this.#value(depth + 1));
      this.#skipSpace();
      if (this.#take(0x7d)) return object;
      if (!this.#take(0x2c)) this.#fail('expected "," or "}"');
      this.#skipSpace();
    }
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#take(0x5d)) return items;
    for (;;) {
      items.push(this.#value(depth + 1));
      this.#skipSpace();
      if (this.#take(0x5d)) return items;
      if (!this.#take(0x2c)) this.#fail('expected "," or "]"');
      this.#skipSpace();
    }
  }

  #string(): string {
    const from = this.#at;
    let escaped = false;
    for (let at = from + 1; ; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        if (!escaped) return this.#text.slice(from + 1, at);
        return this.#unescape(from);
      }
      if (code === 0x5c) {
        escaped = true;
        at++;
      } else if (!(code >= 0x20)) {
        this.#at = at;
        this.#fail(code < 0x20 ? 'a control character must be written as an escape' : 'the text has no end');
      }
    }
  }

  #unescape(from: number): string {
    let value: unknown;
    try {
      value = JSON.parse(this.#text.slice(from, this.#at));
    } catch {
      // Only a wrong escape is left that could be at fault; the fault below says so.
    }
    if (typeof value !== 'string' || LONE_SURROGATE.test(value)) {
      this.#at = from;
      this.#fail('the text has an escape that is not valid');
    }
    return value;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) this.#fail(this.#at < this.#text.length ? 'expected a value' : 'it ends too early');
    this.#at = NUMBER.lastIndex;
    return Number(match[0]);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('expected a value');
    this.#at += word.length;
    return value;
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #fail(reason: string): never {
    const before = this.#text.slice(0, this.#at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new ApiError(
      'bad_request',
      `The body is not valid JSON: ${reason}, at line ${before.length}, column ${column}.`,
    );
  }
}

/** How much of a caller's own text is repeated to them. */
const SHOWN_CHARACTERS = 60;

/** A caller's text for an error text: quoted, and cut when it is long. */
export function shorten(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
