import {
  type PhoneAddress,
  type PhoneDriver,
  type PhoneExit,
  PhoneFailure,
  type PhoneSpec,
  type PhoneStatus,
  type StartOptions,
} from '../phone/driver.js';

/** Phones that are only a word each, for tests of what is above the driver. Each start waits for `gate` when one is set. */
export class FakeDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly phones = new Map<string, 'stopped' | 'running'>();
  readonly calls: string[] = [];
  /** Set to hold starts until it resolves. */
  gate: Promise<void> | undefined;
  /** Set to make starts fail with this text. */
  failure: string | undefined;
  readonly #lost: ((phoneId: string, reason: string) => void)[] = [];
  #ports = 40_000;

  models() {
    const screen = { width: 720, height: 1280, density: 320 };
    return [{ model: 'phone-720p', name: 'Phone 720p', android: ['14', '13'], screen, memoryMb: 2048 }];
  }

  async create({ phoneId }: PhoneSpec): Promise<void> {
    this.calls.push('create');
    if (!this.phones.has(phoneId)) this.phones.set(phoneId, 'stopped');
  }

  async start(phoneId: string, { signal, onProgress }: StartOptions = {}): Promise<PhoneAddress> {
    this.calls.push('start');
    onProgress?.(50);
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
    if (this.gate !== undefined) await Promise.race([this.gate, aborted]);
    if (this.failure !== undefined) throw new PhoneFailure(this.failure);
    this.phones.set(phoneId, 'running');
    return { host: '127.0.0.1', port: ++this.#ports };
  }

  async stop(phoneId: string): Promise<void> {
    this.calls.push('stop');
    this.phones.set(phoneId, 'stopped');
  }

  async delete(phoneId: string): Promise<void> {
    this.calls.push('delete');
    this.phones.delete(phoneId);
  }

  async find(phoneId: string): Promise<PhoneStatus> {
    const state = this.phones.get(phoneId) ?? 'absent';
    return state === 'running' ? { state, address: { host: '127.0.0.1', port: this.#ports } } : { state };
  }

  async snapshot(): Promise<{ sizeBytes: number }> {
    return { sizeBytes: 1 };
  }

  async restore(): Promise<void> {
    this.calls.push('restore');
  }

  async clone(_snapshotId: string, phone: PhoneSpec): Promise<void> {
    this.phones.set(phone.phoneId, 'stopped');
  }

  async deleteSnapshot(): Promise<void> {
    this.calls.push('deleteSnapshot');
  }

  async setExit(_phoneId: string, _exit: PhoneExit): Promise<void> {
    this.calls.push('setExit');
  }

  onLost(listener: (phoneId: string, reason: string) => void): void {
    this.#lost.push(listener);
  }

  lose(phoneId: string, reason: string): void {
    this.phones.set(phoneId, 'stopped');
    for (const listener of this.#lost) listener(phoneId, reason);
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}
