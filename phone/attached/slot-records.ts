import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PhoneFacts } from './phone-facts.js';
import type { CleanWay } from './phones-file.js';

/** What the driver must remember about one phone of the operator. */
export interface SlotRecord {
  slot: string;
  /** The facts as they were when the phone was last reached. */
  facts?: PhoneFacts;
  /** The phone's use by a device. Absent: no device has the phone. */
  taken?: TakenPhone;
  /** The cleaning that is left to do. Set when a device has given the phone back; removed when the phone is clean. */
  cleaning?: Cleaning;
}

export interface TakenPhone {
  phoneId: string;
  /** Identifies the physical phone that the device was given. The driver must never put another phone in its place. */
  hardware: string;
  /** Whether the service has switched the phone on. The phone itself may differ. */
  on: boolean;
  /** The bridge's port. The driver uses it again at the next start if it is free. */
  port?: number;
  clean: CleanWay;
  /** The packages and files that were on the phone when it was taken. */
  found?: Found;
}

export interface Found {
  packages: string[];
  files: string[];
}

export interface Cleaning extends Pick<TakenPhone, 'phoneId' | 'hardware' | 'clean' | 'found'> {
  /** The identity that the phone had when its wipe was ordered. The phone has another identity after each reboot. */
  wipedIn?: string;
}

/**
 * Keeps one small file for each phone of the operator. A rename replaces the whole file, so a crash leaves the old record or the new one.
 * Writes are synchronous, so that a condition checked just before a write still holds when the write ends.
 */
export class SlotRecords {
  readonly #directory: string;
  readonly #records = new Map<string, SlotRecord>();

  /** Reads every record. Throws an error of one line, which names the file, when a record cannot be read. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (name.endsWith('.new'))
        rmSync(path); // a crash came before the rename
      else if (name.endsWith('.json')) {
        const record = readRecord(path);
        this.#records.set(record.slot, record);
      }
    }
  }

  get(slot: string): SlotRecord {
    return this.#records.get(slot) ?? { slot };
  }

  all(): SlotRecord[] {
    return [...this.#records.values()];
  }

  /** Returns the record of the phone that was given the id `phoneId`. Undefined: no phone has this id. */
  ofPhone(phoneId: string): (SlotRecord & { taken: TakenPhone }) | undefined {
    return this.all().find((record): record is SlotRecord & { taken: TakenPhone } => record.taken?.phoneId === phoneId);
  }

  /** Replaces parts of a record and removes the parts that are `undefined`. The change is on disk when the function returns. */
  change(slot: string, parts: { [K in 'facts' | 'taken' | 'cleaning']?: SlotRecord[K] | undefined }): SlotRecord {
    const record = { ...this.get(slot), ...parts } as SlotRecord;
    const path = join(this.#directory, `${createHash('sha256').update(slot).digest('hex').slice(0, 24)}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(record, null, 1), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    this.#records.set(slot, record);
    return record;
  }
}

function readRecord(path: string): SlotRecord {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SlotRecord;
  } catch (error) {
    throw new Error(`The record of an attached phone, ${path}, cannot be read. Restore it, or remove it when no device uses the phone.`, { cause: error }); // prettier-ignore
  }
}
