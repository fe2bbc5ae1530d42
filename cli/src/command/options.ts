import { UsageError } from '../output/usage-error.js';

/** The options of a call, by their names without dashes. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Returns the value of an option. Undefined: it was not given. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the values of an option that can be given several times. */
  texts(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Returns the value of an option that is a whole number. Undefined: it was not given. Throws for anything else. */
  number(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (number >= min && number <= max) return number;
    throw new UsageError(`--${name} is "${text}". It must be a whole number from ${min} to ${max}.`);
  }

  /** Returns the value of an option that is a time such as `90`, `90s`, `15m` or `2h`, in seconds. Undefined: it was not given. */
  seconds(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, amount, unit = 's'] = /^(\d{1,9})([smh])?$/.exec(text) ?? [];
    const seconds = Number(amount) * (UNIT_S[unit] ?? NaN);
    if (seconds >= min && seconds <= max) return seconds;
    throw new UsageError(`--${name} is "${text}". It must be a time from ${min}s to ${max}s, such as 90s, 15m or 2h.`);
  }
}

/** Seconds of each unit of a time. */
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
