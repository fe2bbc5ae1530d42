import type { Clock } from '../../kit/async/clock.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Log } from '../../kit/log/log.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import {
  type OperationOptions,
  type PhoneEndpoint,
  PhoneFailure,
  type PhoneSpec,
  type PhoneStatus,
  type StartOptions,
} from '../driver.js';
import { Bridge } from './bridge.js';
import { CLEAN_TIMES, Cleaner, type CleanTimes } from './cleaner.js';
import { CleaningFailure } from './cleaning.js';
import { cleanPhone } from './clean-phone.js';
import { type Contact, type ContactTimes, isBooted, PhoneContact } from './contact.js';
import { ANOTHER_PHONE, bootedPhone, checkForDevice, refuseAnother, refuseUnlessFree } from './hand-out.js';
import type { ListedPhone } from './phones-file.js';
import { goToSleep, POWER_TIMES, type PowerTimes, reboot, wakeUp } from './power.js';
import type { Cleaning, SlotRecord, SlotRecords, TakenPhone } from './slot-records.js';
import type { PhoneWay } from './way/phone-way.js';

export interface AttachedPhoneParts {
  slot: string;
  records: SlotRecords;
  wayTo: (listed: ListedPhone) => PhoneWay;
  phoneHost: string;
  clock: Clock;
  log: Log;
  times: Partial<ContactTimes & PowerTimes & CleanTimes>;
  /** Called when something about the phone changed without an operation. */
  onChange: (phone: AttachedPhone, reason: string) => void;
  /** Whether another entry of PHONES_FILE leads to this same phone, and a device has that entry or it is being cleaned. */
  isAlsoTaken: (identity: string, slot: string) => boolean;
}

/**
 * One phone of the operator. The driver keeps in touch with it while PHONES_FILE lists it. It has a bridge while a device has it and it is
 * on. The phone's record holds the state that must outlive this process; it is written before the state is acted on. Every operation may be
 * interrupted anywhere and repeated.
 */
export class AttachedPhone {
  readonly slot: string;
  readonly #parts: AttachedPhoneParts;
  readonly #times: PowerTimes & CleanTimes;
  readonly #bridge: Bridge;
  readonly #cleaner: Cleaner;
  /** One operation at a time. */
  readonly #lock = new KeyedLock();
  #listed: ListedPhone | undefined;
  #way: PhoneWay | undefined;
  #contact: PhoneContact | undefined;

  constructor(parts: AttachedPhoneParts) {
    this.slot = parts.slot;
    this.#parts = { ...parts, log: parts.log.child({ slot: parts.slot }) };
    this.#times = { ...POWER_TIMES, ...CLEAN_TIMES, ...parts.times };
    this.#bridge = new Bridge({ way: () => this.#openWay(), log: this.#parts.log });
    this.#cleaner = new Cleaner({
      due: () => this.record.cleaning,
      clean: (cleaning, signal) => this.#cleanOnce(cleaning, signal),
      done: () => parts.records.change(this.slot, { cleaning: undefined }),
      retryMs: this.#times.cleanRetryMs,
      clock: parts.clock,
      log: this.#parts.log,
    });
  }

  get record(): SlotRecord {
    return this.#parts.records.get(this.slot);
  }

  get listed(): ListedPhone | undefined {
    return this.#listed;
  }

  get contact(): Contact | undefined {
    return this.#contact?.now;
  }

  /** Opens the bridge again if the phone was on when the last driver closed or crashed. */
  async resume(): Promise<void> {
    const { taken } = this.record;
    if (taken?.on === true) await this.#bridge.open(this.#parts.phoneHost, taken.port);
  }

  /** Takes the entry that PHONES_FILE has for the phone now; undefined: the file lists the phone no more. */
  list(listed: ListedPhone | undefined): void {
    const before = this.#listed;
    this.#listed = listed;
    const sameWay = listed !== undefined && before?.keyFile === listed.keyFile; // the address is the slot itself
    if (before !== undefined && sameWay) return;
    this.#contact?.close();
    this.#contact = undefined;
    this.#way = undefined;
    if (listed !== undefined) {
      const { clock, log, times } = this.#parts;
      this.#way = this.#parts.wayTo(listed);
      this.#contact = new PhoneContact({ way: this.#way, clock, log, times });
      this.#contact.onCheck((reason) => this.#onChecked(reason));
    }
    if (before !== undefined || listed === undefined) {
      this.#bridge.drop();
      this.#parts.onChange(this, listed === undefined ? 'PHONES_FILE lists it no more' : 'PHONES_FILE was changed');
    }
  }

  /** Whether a new device can have it now. */
  get isFree(): boolean {
    const { taken, cleaning } = this.record;
    return taken === undefined && cleaning === undefined && this.contact?.state === 'reached';
  }

  /** Waits for the end of the first attempt to reach it. */
  async settle(signal?: AbortSignal): Promise<void> {
    if (this.#contact?.now.state === 'connecting') await this.#check(signal);
  }

  /** Returns the phone's status for the service; `absent` while no device has the phone. */
  async status(signal?: AbortSignal): Promise<PhoneStatus> {
    const contact = await this.#check(signal);
    const { taken } = this.record;
    if (taken === undefined) return { state: 'absent' };
    if (contact === undefined) {
      return { state: 'broken', problem: 'The operator of the service has withdrawn the phone.' };
    }
    if (isBooted(contact) && contact.facts.hardware !== taken.hardware)
      return { state: 'broken', problem: ANOTHER_PHONE };
    if (!taken.on) return { state: 'stopped' };
    if (contact.state === 'lost') return { state: 'broken', problem: contact.problem.message };
    const { port } = this.#bridge;
    if (!isBooted(contact) || port === undefined) return { state: 'starting' };
    return { state: 'running', endpoint: this.#endpoint(port, contact.identity) };
  }

  /** Gives the phone to a device. */
  take(spec: PhoneSpec, { signal }: OperationOptions): Promise<void> {
    return this.#inTurn(async () => {
      if (this.record.taken?.phoneId === spec.phoneId) return;
      refuseUnlessFree(this.record);
      const { phone, listed } = this.#inTouch();
      const contact = await bootedPhone(phone, { clock: this.#parts.clock, bootMs: this.#times.bootMs, signal });
      const { facts } = contact;
      const found = await checkForDevice(phone, contact, { listed, spec, signal }).catch((error: unknown) => {
        throw error instanceof CleaningFailure ? this.#misconfigured(error.message) : error;
      });
      // Nothing is awaited from here on, so what was checked still holds when the record is written.
      refuseUnlessFree(this.record);
      const now = phone.now;
      if (now.state !== 'reached' || now.identity !== contact.identity) throw phoneUnavailable('The phone went away.');
      if (this.#parts.isAlsoTaken(contact.identity, this.slot)) {
        throw this.#misconfigured('the same phone is listed twice, by different addresses');
      }
      const { phoneId } = spec;
      const taken = { phoneId, hardware: facts.hardware, on: false, clean: listed.clean, ...(found && { found }) };
      this.#parts.records.change(this.slot, { taken, facts });
    });
  }

  start({ signal, endedIdentity, onProgress }: StartOptions): Promise<PhoneEndpoint> {
    return this.#inTurn(async () => {
      const { clock } = this.#parts;
      const { phone, listed } = this.#inTouch();
      onProgress?.(5);
      let contact = await bootedPhone(phone, { clock: this.#parts.clock, bootMs: this.#times.bootMs, signal });
      refuseAnother(contact, this.#taken());
      onProgress?.(20);
      if (contact.identity === endedIdentity) {
        contact = await reboot(phone, contact, { listed, clock, times: this.#times, signal });
        refuseAnother(contact, this.#taken());
      }
      onProgress?.(80);
      await wakeUp(phone, signal);
      const port = await this.#bridge.open(this.#parts.phoneHost, this.#taken().port);
      this.#parts.records.change(this.slot, { taken: { ...this.#taken(), on: true, port } });
      onProgress?.(100);
      return this.#endpoint(port, contact.identity);
    });
  }

  /** Closes the bridge and turns the screen off. A phone that cannot be reached is off for the service all the same. */
  stop({ signal }: OperationOptions = {}): Promise<void> {
    return this.#inTurn(async () => {
      const { taken } = this.record;
      if (taken === undefined) return;
      this.#parts.records.change(this.slot, { taken: { ...taken, on: false } });
      this.#bridge.close();
      if (taken.on) await this.#darken(signal);
    });
  }

  /**
   * Takes the phone from its device at once and begins to clean it. The phone is free when it is clean. Waits a limited time for that. A
   * phone that cannot be cleaned does not delay the customer's delete. It stays out of use, is cleaned again later, and is reported in the
   * log.
   */
  async release(): Promise<void> {
    await this.#inTurn(async () => {
      const { taken } = this.record;
      if (taken === undefined) return;
      const { phoneId, hardware, clean, found } = taken;
      const cleaning = clean === 'none' ? undefined : { phoneId, hardware, clean, ...(found && { found }) };
      this.#parts.records.change(this.slot, { taken: undefined, cleaning });
      this.#bridge.close();
      if (taken.on) await this.#darken();
    });
    const waited = new AbortController();
    const sleep = this.#parts.clock.sleep(this.#times.cleanWaitMs, waited.signal).catch(() => undefined);
    await Promise.race([this.#cleaner.run(), sleep]);
    waited.abort();
  }

  close(): void {
    this.#cleaner.close();
    this.#contact?.close();
    this.#bridge.close();
  }

  /**
   * Checks the phone. A check that fails is repeated if PHONES_FILE has changed the way to the phone meanwhile. Returns undefined once the
   * phone is withdrawn.
   */
  async #check(signal: AbortSignal | undefined): Promise<Contact | undefined> {
    for (;;) {
      const contact = this.#contact;
      try {
        return await contact?.check(signal);
      } catch (error) {
        if (contact === this.#contact) throw error;
      }
    }
  }

  #onChecked(reason: string | undefined): void {
    const contact = this.contact;
    const { taken, cleaning } = this.record;
    if (contact?.state === 'lost') this.#bridge.drop();
    // A customer may have changed the screen, so facts are stored only while no device has the phone and it is clean.
    const news =
      contact && isBooted(contact) && taken === undefined && cleaning === undefined ? contact.facts : undefined;
    if (news && JSON.stringify(news) !== JSON.stringify(this.record.facts)) {
      this.#parts.records.change(this.slot, { facts: news });
    }
    if (reason === undefined) return;
    this.#parts.log.info({ reason }, 'an attached phone changed');
    this.#parts.onChange(this, reason);
    void this.#cleaner.run();
  }

  /** Returns the way that connections to the bridge take; undefined while the device's own phone cannot serve there. */
  #openWay(): PhoneWay | undefined {
    const contact = this.contact;
    const { taken } = this.record;
    const mayServe = taken?.on === true && contact !== undefined && isBooted(contact);
    return mayServe && contact.facts.hardware === taken.hardware ? this.#way : undefined;
  }

  async #darken(signal?: AbortSignal): Promise<void> {
    if (this.#contact?.now.state !== 'reached') return;
    await goToSleep(this.#contact, signal).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'the screen of an attached phone could not be turned off');
    });
  }

  async #cleanOnce(cleaning: Cleaning, signal: AbortSignal): Promise<void> {
    // The operator has declared it clean.
    if (this.#listed?.clean === 'none') return;
    if (this.#contact === undefined) throw new CleaningFailure('PHONES_FILE does not list it');
    await cleanPhone(this.#contact, cleaning, {
      signal,
      clock: this.#parts.clock,
      times: this.#times,
      noteWipe: (wipedIn) => this.#parts.records.change(this.slot, { cleaning: { ...cleaning, wipedIn } }),
    });
    this.#parts.log.info({ phone: cleaning.phoneId }, 'an attached phone was cleaned and is free');
    this.#parts.onChange(this, 'it was cleaned');
  }

  #taken(): TakenPhone {
    const { taken } = this.record;
    if (taken === undefined) throw new PhoneFailure('The phone was given back.');
    return taken;
  }

  #endpoint(port: number, identity: string): PhoneEndpoint {
    const helpers = this.#listed?.helpers === true;
    return { host: this.#parts.phoneHost, port, identity, ...(helpers && { helpers }) };
  }

  #inTouch(): { phone: PhoneContact; listed: ListedPhone } {
    if (this.#contact === undefined || this.#listed === undefined) {
      throw new PhoneFailure('The operator of the service has withdrawn the phone.');
    }
    return { phone: this.#contact, listed: this.#listed };
  }

  /** Logs a fault of the operator's setup. The error that is returned has no details, which are for the log alone. */
  #misconfigured(reason: string): PhoneFailure {
    this.#parts.log.error({ reason }, 'an attached phone cannot be handed out');
    return new PhoneFailure('The phone that was chosen cannot be handed out; the reason is in the log of the service.');
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(this.slot, work);
  }
}
