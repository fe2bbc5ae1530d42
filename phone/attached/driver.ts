import { dirname } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { FollowedFile } from '../../kit/files/followed-file.js';
import type { Log } from '../../kit/log/log.js';
import {
  type ListedStatus,
  type OperationOptions,
  type PhoneCapabilities,
  type PhoneCapacity,
  type PhoneChange,
  type PhoneDriver,
  type PhoneEndpoint,
  PhoneFailure,
  type PhoneModel,
  type PhoneSpec,
  type PhoneStatus,
  type StartOptions,
} from '../driver.js';
import { ChangeFeed } from '../change-feed.js';
import { listResponse } from '../list-response.js';
import { AttachedPhone, type AttachedPhoneParts } from './attached-phone.js';
import { modelsOf } from './models.js';
import { type ListedPhone, parsePhonesFile } from './phones-file.js';
import { SlotRecords } from './slot-records.js';
import type { PhoneWay } from './way/phone-way.js';

export interface AttachedDriverOptions {
  /** PHONES_FILE. */
  phonesFile: string;
  /** Where records are kept. One driver at a time may have it. */
  directory: string;
  /** The address that bridges listen on, and that is published. */
  phoneHost: string;
  wayTo: (listed: ListedPhone) => PhoneWay;
  clock: Clock;
  log: Log;
  times?: AttachedPhoneParts['times'];
}

/** Phones that exist already, listed by the operator. A phone is taken for a device and given back; nothing is made. */
export class AttachedDriver implements PhoneDriver {
  readonly kind = 'attached';
  readonly #options: AttachedDriverOptions;
  readonly #records: SlotRecords;
  readonly #list: FollowedFile<readonly ListedPhone[]>;
  readonly #phones = new Map<string, AttachedPhone>();
  readonly #changes = new ChangeFeed();
  /** The slots of phones that differ from the first of their model, as last seen. A change of the list is logged. */
  #misfits = '';

  /** Throws FileFault when PHONES_FILE cannot be used. */
  constructor(options: AttachedDriverOptions) {
    this.#options = options;
    this.#records = new SlotRecords(options.directory);
    const { phonesFile: path, clock, log } = options;
    this.#list = new FollowedFile<readonly ListedPhone[]>({
      ...{ path, clock, log },
      setting: 'PHONES_FILE',
      parse: (text) => parsePhonesFile(text, dirname(path)),
      onChange: (phones) => this.#follow(phones),
    });
  }

  /** Gets in touch with every phone and opens the bridges of those that are on. */
  async open(): Promise<void> {
    // A phone that a device has taken is needed even when PHONES_FILE no longer lists it.
    for (const { slot } of this.#records.all()) this.#phone(slot);
    this.#follow(this.#list.value);
    await Promise.all([...this.#phones.values()].map((phone) => phone.resume()));
  }

  capabilities(): PhoneCapabilities {
    const { models } = this.#models();
    const offered = new Set(models.map(({ model }) => model));
    const listed = new Set(this.#list.value.map(({ model }) => model));
    return {
      models,
      // No phone of these models was ever reached.
      withheld: [...listed].filter((model) => !offered.has(model)),
      create: false,
      power: false,
      exit: false,
      snapshots: 'none',
      conditions: [],
    };
  }

  /** `slots` has the phones in use and those that can be taken now. It lacks those that are away, being cleaned or unlike their model. */
  async capacity(): Promise<PhoneCapacity> {
    await Promise.all([...this.#phones.values()].map((phone) => phone.settle()));
    const { fitting } = this.#models();
    const slots = new Map<string, string[]>();
    for (const phone of this.#phones.values()) {
      const { listed, record } = phone;
      if (listed === undefined) continue;
      const usable = record.taken !== undefined || (phone.isFree && fitting.has(phone.slot));
      if (usable) slots.set(listed.model, [...(slots.get(listed.model) ?? []), phone.slot]);
    }
    // The phones bring their own memory and storage, which are never short.
    return { freeMemoryMb: Number.MAX_SAFE_INTEGER, freeDiskMb: Number.MAX_SAFE_INTEGER, memoryMbOf: () => 0, slots };
  }

  async list(signal?: AbortSignal): Promise<Map<string, ListedStatus>> {
    const { clock, log } = this.#options;
    const taken = this.#records
      .all()
      .flatMap(({ taken: by, slot }) => (by === undefined ? [] : [{ phoneId: by.phoneId, slot }]));
    const list = async ({ phoneId, slot }: (typeof taken)[number]) => {
      const read = (limited: AbortSignal): Promise<PhoneStatus> => this.inspect(phoneId, limited);
      const status = await listResponse({ read, part: { phone: phoneId, slot }, signal, clock, log });
      return [phoneId, status ?? { state: 'unknown' as const }] as const;
    };
    return new Map(await Promise.all(taken.map(list)));
  }

  async inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus> {
    return (await this.#taken(phoneId)?.status(signal)) ?? { state: 'absent' };
  }

  async create(spec: PhoneSpec, options: OperationOptions = {}): Promise<void> {
    if (this.#taken(spec.phoneId) !== undefined) return;
    if (spec.slot === undefined)
      throw new Error('an attached phone cannot be made: PhoneSpec.slot names the one to take');
    const phone = this.#phones.get(spec.slot);
    if (phone?.listed === undefined) {
      throw new PhoneFailure('The phone that was chosen is not available any more. Create the device again.');
    }
    await phone.take(spec, options);
    options.onProgress?.(100);
  }

  start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    const phone = this.#taken(phoneId);
    if (phone === undefined) return Promise.reject(new PhoneFailure('The phone was given back.'));
    return phone.start(options);
  }

  async stop(phoneId: string, _how: 'save' | 'kill', options?: OperationOptions): Promise<void> {
    await this.#taken(phoneId)?.stop(options);
  }

  async delete(phoneId: string): Promise<void> {
    await this.#taken(phoneId)?.release();
  }

  watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    return this.#changes.watch(signal);
  }

  /** Closes the bridges and leaves the phones as they are; the next driver opens the bridges of those that are on. */
  async close(): Promise<void> {
    this.#list.close();
    for (const phone of this.#phones.values()) phone.close();
  }

  #follow(phones: readonly ListedPhone[]): void {
    const listed = new Map(phones.map((phone) => [phone.slot, phone]));
    for (const slot of listed.keys()) this.#phone(slot);
    for (const [slot, phone] of this.#phones) phone.list(listed.get(slot));
  }

  #phone(slot: string): AttachedPhone {
    const known = this.#phones.get(slot);
    if (known !== undefined) return known;
    const phone = new AttachedPhone({
      ...this.#options,
      times: this.#options.times ?? {},
      slot,
      records: this.#records,
      onChange: ({ record }, reason) => {
        if (record.taken !== undefined) this.#changes.publish({ phoneId: record.taken.phoneId, reason });
      },
      isAlsoTaken: (identity, except) => this.#isTaken(identity, except),
    });
    this.#phones.set(slot, phone);
    return phone;
  }

  #taken(phoneId: string): AttachedPhone | undefined {
    const record = this.#records.ofPhone(phoneId);
    return record === undefined ? undefined : this.#phone(record.slot);
  }

  #isTaken(identity: string, except: string): boolean {
    return [...this.#phones.values()].some(
      ({ slot, contact, record }) =>
        slot !== except &&
        (record.taken ?? record.cleaning) !== undefined &&
        contact?.state === 'reached' &&
        contact.identity === identity,
    );
  }

  #models(): { models: PhoneModel[]; fitting: ReadonlySet<string> } {
    const { models, fitting, misfits } = modelsOf(this.#list.value, (slot) => this.#records.get(slot).facts);
    if (misfits.join() !== this.#misfits) {
      this.#misfits = misfits.join();
      if (misfits.length > 0) this.#options.log.error({ slots: misfits }, 'phones that differ from the first of their model stay out of use: give them a model of their own in PHONES_FILE'); // prettier-ignore
    }
    return { models, fitting };
  }
}
