import type { PhoneEndpoint, PhoneSpec, PhoneStatus, StartOptions } from '../phone/driver.js';
import { FakeDriver } from '../test/fake-driver.js';

type Operation = 'create' | 'start' | 'stop' | 'delete' | 'inspect' | 'list';

/** Phones whose driver breaks off, or never returns, as a test orders. */
export class FaultyDriver extends FakeDriver {
  /** How often each operation still breaks off. */
  readonly breaks = new Map<Operation, number>();
  /** Operations that do not return, even when their signal aborts. */
  readonly hangs = new Set<Operation>();

  override async create(phone: PhoneSpec): Promise<void> {
    await super.create(phone);
    await this.#meet('create');
  }

  override async start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    if (this.hangs.has('start') || (this.breaks.get('start') ?? 0) > 0) this.calls.push('start');
    await this.#meet('start');
    if (!this.phones.has(phoneId)) throw new Error('there is no such phone');
    return super.start(phoneId, options);
  }

  override async stop(phoneId: string): Promise<void> {
    await this.#meet('stop');
    await super.stop(phoneId);
  }

  override async delete(phoneId: string): Promise<void> {
    await this.#meet('delete');
    await super.delete(phoneId);
  }

  override async inspect(phoneId: string): Promise<PhoneStatus> {
    await this.#meet('inspect');
    return super.inspect(phoneId);
  }

  override async list(): Promise<Map<string, PhoneStatus>> {
    await this.#meet('list');
    return super.list();
  }

  async #meet(operation: Operation): Promise<void> {
    if (this.hangs.has(operation)) await new Promise<never>(() => undefined);
    const left = this.breaks.get(operation) ?? 0;
    if (left === 0) return;
    this.breaks.set(operation, left - 1);
    throw new Error('the connection to the machine of the phones broke off');
  }
}
