import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PhoneFacts } from './phone-facts.js';
import type { CleanWay } from './phones-file.js';

/** All that is noted of one phone of the operator's. */
export interface SlotRecord {
  slot: string;
  /** As they were when the phone was last reached. */
  facts?: PhoneFacts;
  /** The service's phone that it is; absent while it is free. */
  taken?: TakenPhone;
  /** It was given back and must be cleaned before it is free. */
  cleaning?: Cleaning;
}

export interface TakenPhone {
  phoneId: string;
  /** The phone that was there when it was taken: another one must never be handed out in its place. */
  hardware: string;
  /** Whether it is on, as far as the service is concerned. */
  on: boolean;
  /** The bridge's port, kept from start to start where it can be. */
  port?: number;
  clean: CleanWay;
  /** The contents of the phone when it was taken. */
  found?: Found;
}

export interface Found {
  packages: string[];
  files: string[];
}

export interface Cleaning extends Pick<TakenPhone, 'phoneId' | 'hardware' | 'clean' | 'found'> {
  /** The start of the phone in which its wipe was ordered. */
  wipedIn?: string;
}

/**
 * One small file for each of the operator's phones, replaced whole by a rename: a crash leaves the old record or the new one. Written
 * synchronously, so that a condition checked before a write still holds when it is done.
 */
export class SlotRecords {
  readonly #directory: string;
  readonly #records = new Map<string, SlotRecord>();

  /** Reads every record. Throws one line that names the file when one cannot be read. */
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

  /** The phone that a phone id was given; undefined when there is none. */
  ofPhone(phoneId: string): (SlotRecord & { taken: TakenPhone }) | undefined {
    return this.all().find((record): record is SlotRecord & { taken: TakenPhone } => record.taken?.phoneId === phoneId);
  }

  /** Replaces parts of a record; `undefined` removes one. Durable when it returns. */
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
