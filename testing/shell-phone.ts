import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckedPhones } from '../check-phones/checked-phones.js';
import type { CheckOptions } from '../check-phones/config.js';

/** Scripts in place of a phone's programs, by name; `sh` of this machine runs the commands of the rows. */
export type PhonePrograms = Readonly<Record<string, string>>;

/** A phone for tests of rows: its shell is that of this machine, with programs of its own in front. Its exit is its system's HTTP proxy. */
export class ShellPhone {
  readonly #folder = mkdtempSync(join(tmpdir(), 'check-phones-phone-'));
  readonly name = 'check-phone';
  /** The exit as it was last set. After a check, it must be the device's own exit again. */
  exitNow: unknown = 'usual';

  constructor(programs: PhonePrograms) {
    for (const [name, script] of Object.entries({ settings: `cat ${this.#folder}/http_proxy`, ...programs })) {
      const file = join(this.#folder, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    }
    this.setHttpProxy('null');
  }

  setHttpProxy(value: string): void {
    writeFileSync(join(this.#folder, 'http_proxy'), `${value}\n`);
  }

  device(): Promise<unknown> {
    return Promise.resolve({ exit: { type: 'direct', country: 'de' } });
  }

  exit(body: { proxy?: string }): Promise<void> {
    this.exitNow = body;
    if (body.proxy !== undefined) this.setHttpProxy(new URL(body.proxy).host);
    return Promise.resolve();
  }

  startFacts(): Promise<{ serial: string }> {
    return Promise.resolve({ serial: 'SERIAL1' });
  }

  shell(command: string): Promise<string> {
    const env = { ...process.env, PATH: `${this.#folder}:${process.env['PATH'] ?? ''}` };
    return new Promise((resolve) => {
      execFile('sh', ['-c', command], { env, timeout: 30_000 }, (_error, stdout) => resolve(stdout));
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The devices of a check that has this phone alone. */
  asPhones(options: Partial<CheckOptions> = {}): CheckedPhones {
    const phones = {
      get: () => this,
      options: { address: '127.0.0.1', ...options },
      model: { memory_mb: 2048, exits: true },
    };
    return phones as unknown as CheckedPhones;
  }
}

/** The text that a row failed with; fails the test when it passed. */
export function failureText(row: Promise<string>): Promise<string> {
  return row.then(
    (detail) => {
      throw new Error(`the row passed: ${detail}`);
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
