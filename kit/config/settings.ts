import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { formatMoney, parseMoney } from '../text/money.js';
import type { SecretName, SettingName } from './setting-list/setting-list.js';

/** The longest secret that a file may hold. A longer file is not the one that was meant. */
const MAX_SECRET_CHARS = 16_384;

/**
 * Settings read from the environment. A service declares each setting once, with unit, default, bounds and reason. All faults are reported
 * together, so that a bad start is mended in one go. All setting names are in the list from which docs/settings.md is made.
 */
export class Settings {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  /** Each fault once, as several parts may read the same setting. */
  readonly #faults = new Set<string>();

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  text(name: SettingName, fallback: string): string {
    return this.#value(name) ?? fallback;
  }

  optionalText(name: SettingName): string | undefined {
    return this.#value(name);
  }

  /**
   * Returns a secret: the value of the setting, or the one line of the file that `<name>_FILE` names. Container engines and systemd hand
   * over secrets as files. Faults never contain the secret. It is read at the start, so a new secret is used after a restart.
   */
  secret(name: SecretName): string | undefined {
    const own = this.#value(name);
    const path = this.#value(`${name}_FILE`);
    if (path === undefined) return own;
    if (own === undefined) return this.#secretIn(path, `${name}_FILE="${path}"`);
    this.#faults.add(`${name} and ${name}_FILE are both set: remove one of them`);
    return own;
  }

  /** Returns the file that a secret is read from, which can be followed; undefined where the setting has the secret itself, or none. */
  secretFile(name: SecretName): string | undefined {
    return this.#value(name) === undefined ? this.#value(`${name}_FILE`) : undefined;
  }

  /** One of `allowed`. */
  choice<const T extends string>(name: SettingName, allowed: readonly T[], fallback: T): T {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) this.#faults.add(`${name}="${value}" is not one of ${allowed.join(', ')}`);
    return found ?? fallback;
  }

  integer(name: SettingName, bounds: { min: number; max: number }, fallback: number): number {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : NaN;
    if (number >= bounds.min && number <= bounds.max) return number;
    this.#faults.add(`${name}="${value}" is not a whole number from ${bounds.min} to ${bounds.max}`);
    return fallback;
  }

  /** An amount in USD from 0 to `most`, as micro-dollars. */
  money(name: SettingName, { most, example }: { most: number; example: string }, fallback: number): number {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    const micros = parseMoney(value);
    if (micros !== undefined && micros <= most) return micros;
    this.#faults.add(
      `${name}="${value}" is not an amount in USD such as ${example}, from 0 to ${formatMoney(most)}, with six decimals at most`,
    );
    return fallback;
  }

  /** An address to listen on: an IP address, or localhost. */
  address(name: SettingName, fallback: string): string {
    const value = this.text(name, fallback);
    this.require(
      isIP(value) !== 0 || value === 'localhost',
      `${name}="${value}" is not an IP address of this machine, such as 127.0.0.1 (or 0.0.0.0 for all)`,
    );
    return value;
  }

  /** A TCP port; 0 lets the system pick a free one. */
  port(name: SettingName, fallback: number): number {
    return this.integer(name, { min: 0, max: 65_535 }, fallback);
  }

  /** `on` or `off` (also `true`/`false`, `1`/`0`, `yes`/`no`). */
  flag(name: SettingName, fallback: boolean): boolean {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    if (/^(on|true|1|yes)$/i.test(value)) return true;
    if (/^(off|false|0|no)$/i.test(value)) return false;
    this.#faults.add(`${name}="${value}" is neither on nor off`);
    return fallback;
  }

  /** An inclusive range of ports such as `6500-6599`. */
  portRange(name: SettingName, fallback: PortRange | undefined): PortRange | undefined {
    const value = this.#value(name);
    if (value === undefined) return fallback;
    const match = /^(\d+)-(\d+)$/.exec(value);
    const [first, last] = [Number(match?.[1]), Number(match?.[2])];
    if (first >= 1 && last >= first && last <= 65_535) return { first, last };
    this.#faults.add(`${name}="${value}" is not a range of ports such as 6500-6599`);
    return fallback;
  }

  /** A rule across settings. */
  require(holds: boolean, fault: string): void {
    if (!holds) this.#faults.add(fault);
  }

  /** Throws one error that lists every fault found so far. Call it once all settings are read. */
  check(): void {
    if (this.#faults.size === 0) return;
    throw new Error(`Settings that cannot be used:\n  ${[...this.#faults].join('\n  ')}`);
  }

  #secretIn(path: string, setting: string): string | undefined {
    let text: string;
    try {
      text = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
      this.#faults.add(
        `${setting} cannot be read: ${reason}. Name a file that exists and that this user may read (the service's user id is ${process.getuid?.() ?? 'unknown'})`,
      );
      return undefined;
    }
    if (text !== '' && text.length <= MAX_SECRET_CHARS && !/[\r\n\0]/.test(text)) return text;
    const fault = text === '' ? 'is empty: write' : 'does not hold one line of text: write only';
    this.#faults.add(`${setting} ${fault} the secret into it`);
    return undefined;
  }

  #value(name: string): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === '' ? undefined : value;
  }
}

export interface PortRange {
  first: number;
  last: number;
}
