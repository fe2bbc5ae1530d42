import type { ListedStatus, PhoneEndpoint, PhoneSpec, PhoneStatus, StartOptions } from '../phone/driver.js';
import { FakeDriver } from '../test/fake-driver.js';

type Operation = 'create' | 'start' | 'stop' | 'delete' | 'inspect' | 'list';

/** Phones whose driver breaks off, or never returns, as a test orders. */
export class FaultyDriver extends FakeDriver {
  /** How often each operation still breaks off. */
  readonly breaks = new Map<Operation, number>();
  /** Operations that do not return, even when their signal aborts. */
  readonly hangs = new Set<Operation>();

  /** Phones that do not respond: listed as unknown, and inspected without end. */
  readonly silent = new Set<string>();
  /** The inspected silent phones, and the most of them that were inspected at the same time. */
  readonly silentInspections: string[] = [];
  mostAtOnce = 0;
  #inspecting = 0;

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

  override async inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus> {
    await this.#meet('inspect');
    if (this.silent.has(phoneId)) await this.#waitInVain(phoneId, signal);
    return super.inspect(phoneId);
  }

  override async list(): Promise<Map<string, ListedStatus>> {
    await this.#meet('list');
    const found = new Map<string, ListedStatus>();
    for (const phoneId of this.phones.keys())
      found.set(phoneId, this.silent.has(phoneId) ? { state: 'unknown' } : await this.inspect(phoneId));
    return found;
  }

  async #waitInVain(phoneId: string, signal?: AbortSignal): Promise<void> {
    this.silentInspections.push(phoneId);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#inspecting);
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    this.#inspecting--;
    throw new Error('the phone did not respond');
  }

  async #meet(operation: Operation): Promise<void> {
    if (this.hangs.has(operation)) await new Promise<never>(() => undefined);
    const left = this.breaks.get(operation) ?? 0;
    if (left === 0) return;
    this.breaks.set(operation, left - 1);
    throw new Error('the connection to the machine of the phones broke off');
  }
}
