import { dirname } from 'node:path';
import type { Clock } from '../../kit/clock.js';
import { FollowedFile } from '../../kit/followed-file.js';
import type { Log } from '../../kit/log.js';
import { type ListedPhone, parsePhonesFile } from './phones-file.js';

/** The operator's phones, followed while PHONES_FILE is edited. Throws FileFault when the file cannot be used now. */
export class PhonesList {
  readonly #file: FollowedFile<readonly ListedPhone[]>;

  constructor(options: { path: string; clock: Clock; log: Log; onChange: (phones: readonly ListedPhone[]) => void }) {
    this.#file = new FollowedFile<readonly ListedPhone[]>({
      ...options,
      setting: 'PHONES_FILE',
      parse: (text) => {
        const { phones, faults } = parsePhonesFile(text, dirname(options.path));
        return { value: phones, faults };
      },
    });
  }

  get phones(): readonly ListedPhone[] {
    return this.#file.value;
  }

  close(): void {
    this.#file.close();
  }
}
