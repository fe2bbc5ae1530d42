import { connect } from 'node:net';
import pLimit from 'p-limit';
import type { Clock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { forgetIdentity } from '../../container/forget-identity.js';
import type { PhoneSpec } from '../../driver.js';
import { ImageBasedDriver } from '../driver.js';
import type { EnginePause, PhoneEngine, PhoneProxy, Power } from '../engine.js';
import type { ImageBasedModel } from '../model.js';
import type { ImageBasedPhone } from '../phone-folders.js';
import { STAND_IN } from './image-based-world.js';

/** An engine whose phones are only a word each, for tests of the driver above it. */
export class TestEngine implements PhoneEngine {
  readonly kind = 'container' as const;
  /** The phones that are on. */
  readonly on = new Set<string>();
  readonly paused = new Set<string>();
  /** The phones whose exit is open. */
  readonly exits = new Set<string>();
  /** The calls of `openExit` and of the end of a pause, each with its phone. */
  readonly calls: string[] = [];
  /** Called before an exit is opened, and before a pause ends; what it throws is the fault of the engine. */
  onCall: (phoneId: string) => Promise<void> = () => Promise.resolve();

  readonly pause: EnginePause = {
    begin: async ({ phoneId }) => {
      if (this.on.has(phoneId)) this.paused.add(phoneId);
    },
    end: async ({ phoneId }) => {
      if (!this.paused.has(phoneId)) return;
      this.calls.push(`end ${phoneId}`);
      await this.onCall(phoneId);
      this.paused.delete(phoneId);
    },
  };

  obstacle(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  fetchImage(): Promise<{ digest: string }> {
    return Promise.resolve({ digest: 'sha256:1' });
  }

  forgetIdentity({ data }: ImageBasedPhone): Promise<void> {
    return forgetIdentity(data);
  }

  async powerOn({ phoneId }: ImageBasedPhone): Promise<void> {
    this.on.add(phoneId);
  }

  async powerOff({ phoneId }: ImageBasedPhone): Promise<void> {
    this.#end(phoneId);
  }

  async power({ phoneId }: ImageBasedPhone): Promise<Power> {
    if (!this.on.has(phoneId)) return { on: false };
    return { on: true, start: '1', host: '127.0.0.1', port: 1, paused: this.paused.has(phoneId) };
  }

  async remove(phoneId: string): Promise<void> {
    this.#end(phoneId);
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.on]);
  }

  async openExit({ phoneId }: ImageBasedPhone): Promise<PhoneProxy> {
    this.calls.push(`exit ${phoneId}`);
    await this.onCall(phoneId);
    this.exits.add(phoneId);
    return { host: '127.0.0.1', port: 1 };
  }

  lastLines(): Promise<string> {
    return Promise.resolve('');
  }

  watch(): void {
    // Phones change by operations alone.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #end(phoneId: string): void {
    for (const phones of [this.on, this.paused, this.exits]) phones.delete(phoneId);
  }
}

export function specOf(phoneId: string): PhoneSpec {
  const exit = { type: 'direct', country: 'us', timezone: 'UTC' };
  return { phoneId, name: phoneId, model: STAND_IN.model, android: '14', exit };
}

/** Returns a driver of an engine, as of one process of the service. Its folder outlives it. */
export function driverOf(parts: { engine: PhoneEngine; directory: string; clock: Clock }): ImageBasedDriver {
  const model: ImageBasedModel = { ...STAND_IN, driver: 'container', image: 'phone:14', pids: 64, binder: false };
  return new ImageBasedDriver({
    ...{ ...parts, boots: pLimit(1), log: silentLog },
    models: { value: [model], close: () => undefined },
    connectSocket: (host, port) => connect({ host, port }),
  });
}
