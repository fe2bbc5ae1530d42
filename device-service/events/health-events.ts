import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { repeat } from '../../kit/repeat.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { PUBLISH_AGAIN_MS, PUBLISH_FIRST_MS, PUBLISH_TIMEOUT_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import { healthChangedPayload } from './event-payload.js';

export interface HealthEventsOptions {
  /** Absent: there is no webhook service. */
  events: Client<typeof EventService> | undefined;
  devices: DeviceStore;
  hostId: string;
  clock: Clock;
  log: Log;
}

/**
 * Publishes events of problems that begin and end. The update that changes a device's problem writes the event into the device's
 * document, where it stays until the webhook service has it; publishing it again is harmless, as the event's id is kept.
 */
export class HealthEvents {
  readonly #options: HealthEventsOptions;
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #repeated: { close(): Promise<void> } | undefined;

  constructor(options: HealthEventsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#options;
    this.#repeated = repeat(clock, PUBLISH_AGAIN_MS, () => this.publishPending(), PUBLISH_FIRST_MS);
  }

  /** Interrupts publications under way; the next process publishes it. Nothing is read or published after `close` has resolved. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#repeated?.close();
    await Promise.all(this.#underWay);
  }

  /** Publishes the health events of a device. Never throws: what fails is published again later. */
  async publish(phoneId: string): Promise<void> {
    const publication = this.#publish(phoneId);
    this.#underWay.add(publication);
    await publication.finally(() => this.#underWay.delete(publication));
  }

  async publishPending(): Promise<void> {
    const { devices, hostId, log } = this.#options;
    try {
      for (const { _id } of await devices.ofHost(hostId).findWithHealthEvents()) await this.publish(_id);
    } catch (error) {
      log.warn({ err: error }, 'could not look for health events to publish');
    }
  }

  async #publish(phoneId: string): Promise<void> {
    const { devices, events, log } = this.#options;
    const { signal } = this.#ending;
    try {
      const device = await devices.findById(phoneId);
      for (const { id, type, at, problem } of device?.healthEvents ?? []) {
        if (device === null || signal.aborted) return;
        const payload = healthChangedPayload(type, device.name, problem, at);
        const { accountId, name, createdBy: deviceCreatedBy } = device;
        const event = { id, type, accountId, device: name, deviceCreatedBy, payload };
        await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
        await devices.healthEventPublished(phoneId, id);
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ phone: phoneId, err: error }, 'could not publish a health event; trying again later');
    }
  }
}
