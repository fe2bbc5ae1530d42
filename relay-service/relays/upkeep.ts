import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { LeaseTerm } from '../../kit/db/lease-term.js';
import type { Log } from '../../kit/log/log.js';
import { type Loop, repeat } from '../../kit/errors/repeat.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { DEVICE_CALL_MS, LEASE_MS, TICK_MS, TUNNEL_WATCH_MS, WATCH_MS } from '../limits.js';
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
  /** Where other relay services reach this one's rpcs. Undefined: nowhere, or it is not known yet. */
  rpcUrl: () => string | undefined;
}

/** The most ids that one rpc takes (see the proto files). */
const MAX_IDS = 200;

/**
 * Keeps this instance's relays equal to the database and to the devices behind them. Every tick it reads the documents that carry the
 * instance's name, so changes by other instances take effect here a moment later. It renews its leases, and takes over relays whose instance
 * has gone. All leases of the instance end at the same time. They are never released, as the instance has the same name after a restart and
 * continues with them at once. It turns off relays whose device or key may not be used any more, and ends sessions of phones that stopped.
 * The steps are independent: a step that fails or takes long does not keep the other steps from being done.
 */
export class RelayUpkeep {
  readonly #parts: RelayUpkeepParts;
  #loops: Loop[] = [];
  readonly #term: LeaseTerm;

  constructor(parts: RelayUpkeepParts) {
    this.#parts = parts;
    this.#term = new LeaseTerm(parts.clock, LEASE_MS);
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
      every(TUNNEL_WATCH_MS, 'check keys of tunnels', () => this.#watchTunnels()),
    ];
  }

  /** Resolves when nothing is done any more. */
  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.close()));
  }

  async #renew(): Promise<void> {
    const { store, relays, instanceId, rpcUrl } = this.#parts;
    if (this.#term.leftMs > (LEASE_MS * 2) / 3) return;
    try {
      await this.#term.renew(async (leaseUntil) => {
        await store.renewLeases(instanceId, leaseUntil, rpcUrl() ?? '');
        return true;
      });
    } catch (error) {
      // Another instance may have taken the relays over by now.
      if (this.#term.leftMs <= 0) relays.dropAll();
      throw error;
    }
  }

  async #compare(): Promise<void> {
    const { attempts } = this.#parts;
    if (this.#term.leftMs <= 0) return;
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
      // The relay was changed here while the database was read, so the document that was read is out of date.
      if (relay?.document.enableId !== enableId) continue;
      const document = documents.get(phoneId);
      if (!document) relays.drop(phoneId, 'turned off');
      else if (document.enableId !== enableId) await attempts.run('follow a relay', () => relays.follow(document));
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

  /**
   * Turns off the relays whose device is deleted, or whose key is revoked or may not control the device any more. A relay whose phone is with a
   * person is paused, and goes on when it is given back.
   */
  async #watchUses(): Promise<void> {
    const { store, instanceId, devices, relays, attempts } = this.#parts;
    // The documents are read from the database, as a relay that is not live here also keeps its port.
    for (const documents of inBatches(await store.findOfInstance(instanceId))) {
      const uses = documents.map(({ _id: phoneId, keyId }) => ({ phoneId, keyId }));
      const { allowed, paused } = await devices.checkUses({ uses }, { timeoutMs: DEVICE_CALL_MS });
      const kept = new Set(allowed.map(({ phoneId, keyId }) => `${phoneId} ${keyId}`));
      const withPerson = new Set(paused.map(({ phoneId }) => phoneId));
      for (const document of documents) {
        relays.liveOf(document._id)?.pause(withPerson.has(document._id));
        if (!kept.has(`${document._id} ${document.keyId}`))
          await attempts.run('turn a relay off', () => relays.endUse(document));
      }
    }
  }

  /** Ends the sessions of clients whose key was revoked, or may not control the device any more. */
  async #watchTunnels(): Promise<void> {
    const { devices, relays } = this.#parts;
    const uses = relays.live.flatMap((relay) => [...relay.tunnelKeys].map((keyId) => ({ relay, keyId })));
    for (const batch of inBatches(uses)) {
      const asked = batch.map(({ relay, keyId }) => ({ phoneId: relay.document._id, keyId }));
      const { allowed } = await devices.checkUses({ uses: asked }, { timeoutMs: DEVICE_CALL_MS });
      const kept = new Set(allowed.map(({ phoneId, keyId }) => `${phoneId} ${keyId}`));
      for (const { relay, keyId } of batch) {
        if (!kept.has(`${relay.document._id} ${keyId}`)) relay.endTunnelsOf(keyId);
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
  return Array.from({ length: Math.ceil(items.length / MAX_IDS) }, (_, index) =>
    items.slice(index * MAX_IDS, (index + 1) * MAX_IDS),
  );
}
