import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type Loop, repeat } from '../../kit/repeat.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { DEVICE_CALL_MS, LEASE_MS, TICK_MS, WATCH_MS } from '../limits.js';
import type { RelayStore } from '../store/relays.js';
import type { Attempts } from './attempts.js';
import type { Relays } from './relays.js';

interface RelayUpkeepParts {
  clock: Clock;
  log: Log;
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
 * are independent: one that fails, for one relay or all, or takes long, does not keep the others from being done.
 */
export class RelayUpkeep {
  readonly #parts: RelayUpkeepParts;
  #loops: Loop[] = [];
  #renewedMs = -Infinity;

  constructor(parts: RelayUpkeepParts) {
    this.#parts = parts;
  }

  /** Listens for the relays that this instance had before it was restarted, and starts the loops. */
  async start(): Promise<void> {
    const { attempts } = this.#parts;
    const every = (everyMs: number, step: string, work: () => Promise<void>): Loop =>
      repeat({ ...this.#parts, everyMs, step }, () => attempts.run(step, work));
    await attempts.run('renew the leases', () => this.#renew());
    await this.#compare();
    this.#loops = [
      every(TICK_MS, 'renew the leases', () => this.#renew()),
      every(TICK_MS, 'compare the relays', () => this.#compare()),
      every(WATCH_MS, 'check devices and keys', () => this.#watchUses()),
      every(WATCH_MS, 'check phones', () => this.#watchPhones()),
    ];
  }

  /** Resolves when nothing is done any more. */
  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.close()));
  }

  get #hasLeases(): boolean {
    return this.#parts.clock.monotonicMs() - this.#renewedMs <= LEASE_MS;
  }

  async #renew(): Promise<void> {
    const { clock, store, relays, instanceId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#renewedMs < LEASE_MS / 3) return;
    try {
      await store.renewLeases(instanceId, new Date(clock.now() + LEASE_MS));
      this.#renewedMs = nowMs;
    } catch (error) {
      // Another instance may have them by now.
      if (!this.#hasLeases) relays.dropAll();
      throw error;
    }
  }

  async #compare(): Promise<void> {
    const { attempts } = this.#parts;
    if (!this.#hasLeases) return;
    await attempts.run('reconcile the relays', () => this.#reconcile());
    await attempts.run('take over lapsed relays', () => this.#takeOverLapsed());
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
      const running = new Map(phones.map((phone) => [phone.phoneId, phone]));
      for (const relay of batch) {
        const phone = running.get(relay.document._id);
        relay.noteTimeline(phone?.timeline === true);
        relay.endSessionsBut(phone?.generation);
      }
      await Promise.all(batch.map((relay) => relay.lend()));
    }
  }
}

function inBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_IDS) }, (_, index) =>
    items.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
  );
}
