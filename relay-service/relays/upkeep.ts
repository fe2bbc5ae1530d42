import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { repeat } from '../../kit/repeat.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { DEVICE_CALL_MS, LEASE_MS, TICK_MS, WATCH_MS } from '../limits.js';
import type { RelayStore } from '../store/relays.js';
import type { Attempts } from './attempts.js';
import type { Relays } from './relays.js';

interface RelayUpkeepParts {
  clock: Clock;
  store: RelayStore;
  devices: Client<typeof PhoneService>;
  relays: Relays;
  attempts: Attempts;
  instanceId: string;
}

/** The most ids that one rpc takes (see the proto files). */
const MOST_IDS = 200;

/**
 * Keeps this instance's relays equal to the database and to the devices behind them: every tick it reads the documents that carry
 * its name, so that changes by other instances take effect here a moment later; it renews its leases, takes over relays whose
 * instance has gone, turns off those whose device or key may not be used any more, and ends sessions of phones that stopped. These steps
 * are independent: a failure in one, or for one relay, does not keep the others from being done.
 */
export class RelayUpkeep {
  readonly #parts: RelayUpkeepParts;
  #ticks: { close(): Promise<void> } | undefined;
  #renewedMs = -Infinity;
  #watchedMs: number;

  constructor(parts: RelayUpkeepParts) {
    this.#parts = parts;
    this.#watchedMs = parts.clock.monotonicMs();
  }

  /** Listens for the relays that this instance had before it was restarted, and starts the ticks. */
  async start(): Promise<void> {
    await this.#tick();
    this.#ticks = repeat(this.#parts.clock, TICK_MS, () => this.#tick());
  }

  /** Resolves when no tick runs any more. */
  async close(): Promise<void> {
    await this.#ticks?.close();
  }

  async #tick(): Promise<void> {
    const { clock, relays, attempts } = this.#parts;
    const hasLeases = await attempts.run('renew the leases', () => this.#renew());
    if (!hasLeases && clock.monotonicMs() - this.#renewedMs > LEASE_MS) {
      // Another instance may have them by now.
      relays.dropAll();
      return;
    }
    await attempts.run('reconcile the relays', () => this.#reconcile());
    await attempts.run('take over lapsed relays', () => this.#takeOverLapsed());
    if (clock.monotonicMs() - this.#watchedMs < WATCH_MS) return;
    this.#watchedMs = clock.monotonicMs();
    await attempts.run('check devices and keys', () => this.#watchUses());
    await attempts.run('check phones', () => this.#watchPhones());
  }

  async #renew(): Promise<void> {
    const { clock, store, instanceId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#renewedMs < LEASE_MS / 3) return;
    await store.renewLeases(instanceId, new Date(clock.now() + LEASE_MS));
    this.#renewedMs = nowMs;
  }

  /** Makes the live relays equal to this instance's documents, and writes refusals and sessions to them. */
  async #reconcile(): Promise<void> {
    const { store, instanceId, relays, attempts } = this.#parts;
    const before = new Map(relays.live.map(({ document }) => [document._id, document.enableId]));
    const documents = new Map((await store.findOfInstance(instanceId)).map((document) => [document._id, document]));
    for (const [phoneId, enableId] of before) {
      const relay = relays.liveOf(phoneId);
      // Changed here while the database was read: the document is older.
      if (relay?.document.enableId !== enableId) continue;
      const document = documents.get(phoneId);
      if (!document) relays.drop(phoneId, 'turned off');
      else if (document.enableId !== enableId) relay.adopt(document);
      else await attempts.run('report a relay', () => relay.report());
    }
    for (const document of documents.values()) {
      if (!relays.liveOf(document._id) && !before.has(document._id)) await relays.takeOver(document);
    }
  }

  async #takeOverLapsed(): Promise<void> {
    const { store, clock, instanceId, relays } = this.#parts;
    const now = new Date(clock.now());
    for (const document of await store.findLapsed(now)) {
      if (document.expiresAt <= now || document.instanceId !== instanceId) await relays.takeOver(document);
    }
  }

  /** Turns off the relays whose device is deleted, or whose key is revoked or may not control the device any more. */
  async #watchUses(): Promise<void> {
    const { store, instanceId, devices, relays, attempts } = this.#parts;
    // From the database: a relay that could not be listened for keeps its port there.
    for (const documents of inBatches(await store.findOfInstance(instanceId))) {
      const uses = documents.map(({ _id: phoneId, keyId }) => ({ phoneId, keyId }));
      const { allowed } = await devices.checkUses({ uses }, { timeoutMs: DEVICE_CALL_MS });
      const kept = new Set(allowed.map(({ phoneId, keyId }) => `${phoneId} ${keyId}`));
      for (const document of documents) {
        if (!kept.has(`${document._id} ${document.keyId}`))
          await attempts.run('turn a relay off', () => relays.endUse(document));
      }
    }
  }

  async #watchPhones(): Promise<void> {
    const { devices, relays } = this.#parts;
    for (const batch of inBatches(relays.live.filter(({ hasPhone }) => hasPhone))) {
      const phoneIds = batch.map(({ document }) => document._id);
      const { phones } = await devices.locatePhones({ phoneIds }, { timeoutMs: DEVICE_CALL_MS });
      const generations = new Map(phones.map(({ phoneId, generation }) => [phoneId, generation]));
      for (const relay of batch) relay.endSessionsBut(generations.get(relay.document._id));
    }
  }
}

function inBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_IDS) }, (_, index) =>
    items.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
  );
}
