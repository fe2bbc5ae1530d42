import { type OperationOptions, PhoneFailure } from '../phone/driver.js';
import type { PhoneFacts, PhoneUpgrades } from '../phone/upgrades/phone-upgrades.js';

/** An image of the phones of a FakeDriver. */
export interface FakeImage {
  android: string;
  /** Its phones do not boot, for this reason. */
  bootFailure?: string;
  /** Its phones show these packages, in place of those that were there. */
  packages?: readonly string[];
}

/** Images of phones that are only a word each. */
export class FakeUpgrades implements PhoneUpgrades {
  /** The image that the model has now. */
  image: FakeImage = { android: '14' };
  /** The image of each phone that was upgraded. Others have OLD. */
  readonly of = new Map<string, FakeImage>();
  /** The image that each phone with a copy had. */
  readonly kept = new Map<string, FakeImage>();
  /** Set to run before each operation; what it throws ends the operation. */
  onCall: (operation: string, options: OperationOptions) => void | Promise<void> = () => undefined;
  readonly #phones: ReadonlyMap<string, 'stopped' | 'running'>;
  readonly #calls: string[];

  constructor(phones: ReadonlyMap<string, 'stopped' | 'running'>, calls: string[]) {
    this.#phones = phones;
    this.#calls = calls;
  }

  bootFailureOf(phoneId: string): string | undefined {
    return this.of.get(phoneId)?.bootFailure;
  }

  async fetch(phoneId: string, options: OperationOptions = {}): Promise<boolean> {
    await this.#begin('fetch', options);
    return this.image.android !== this.#imageOf(phoneId).android;
  }

  async survey(phoneId: string, options: OperationOptions = {}): Promise<PhoneFacts> {
    await this.#begin('survey', options);
    this.#assert(phoneId, 'running');
    const { android, packages = ['org.example.app'] } = this.#imageOf(phoneId);
    return { android, packages: [...packages], entries: ['Download'] };
  }

  async keep(phoneId: string, _jobId: string, options: OperationOptions = {}): Promise<void> {
    await this.#begin('keep', options);
    this.#assert(phoneId, 'stopped');
    if (!this.kept.has(phoneId)) this.kept.set(phoneId, this.#imageOf(phoneId));
  }

  async change(phoneId: string, options: OperationOptions = {}): Promise<string> {
    await this.#begin('change', options);
    this.#assert(phoneId, 'stopped');
    if (!this.kept.has(phoneId)) throw new PhoneFailure('The copy of the phone is gone.');
    this.of.set(phoneId, this.image);
    return this.image.android;
  }

  async back(phoneId: string, options: OperationOptions = {}): Promise<void> {
    await this.#begin('back', options);
    this.#assert(phoneId, 'stopped');
    const kept = this.kept.get(phoneId);
    if (kept !== undefined) this.of.set(phoneId, kept);
    this.kept.delete(phoneId);
  }

  async drop(phoneId: string): Promise<void> {
    await this.#begin('drop', {});
    this.kept.delete(phoneId);
  }

  #imageOf(phoneId: string): FakeImage {
    return this.of.get(phoneId) ?? OLD;
  }

  #assert(phoneId: string, state: 'stopped' | 'running'): void {
    if (this.#phones.get(phoneId) !== state) throw new Error(`the phone is not ${state}`);
  }

  async #begin(operation: string, options: OperationOptions): Promise<void> {
    this.#calls.push(operation);
    await this.onCall(operation, options);
  }
}

const OLD: FakeImage = { android: '14' };
