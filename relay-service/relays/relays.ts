import type { Client } from '@connectrpc/connect';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import type { Log } from '../../kit/log.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { createLoginCode, loginCodeDigest } from '../access/login-code.js';
import type { CloseReason } from '../connection/session.js';
import { LEASE_MS, type RelayLimits, SAME_FAILURE_MS, TICK_MS, WATCH_MS } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { RelayDocument, RelayPlace, RelayStore, RelayTerms } from '../store/relays.js';
import { Relay } from './relay.js';
import type { RelayPort } from './relay-port.js';
import { RelayPorts } from './relay-ports.js';

export interface RelaysParts {
  clock: Clock;
  log: Log;
  limits: RelayLimits;
  store: RelayStore;
  metrics: RelayMetrics;
  devices: Client<typeof PhoneService>;
  listenHost: string;
  /** The host that customers connect to. */
  advertisedHost: string;
  /** Absent: any free port. */
  ports: { first: number; last: number } | undefined;
  /** The same after a restart; two running instances never have the same. */
  instanceId: string;
}

/** The phone to enable a relay for, on which terms. */
export interface EnableRelay {
  phoneId: string;
  accountId: string;
  device: string;
  /** The key or owner's session that enables it. */
  keyId: string;
  allow: string[];
  lifetimeMs: number;
}

/** How often enabling starts over when another instance was faster. */
const MOST_TRIES = 20;
/** The most ids that one rpc takes (see the proto files). */
const MOST_IDS = 200;

/**
 * The relays that this instance listens for, reconciled with the database: every tick it reads the documents that carry its name, so
 * that what another instance changed takes effect here a moment later; it renews its leases, takes over relays whose instance has gone,
 * turns off those whose device or key may not be used any more, and ends sessions of phones that stopped. These steps are independent: a
 * failure in one, or for one relay, does not keep the others from being done.
 *
 * After a crash documents and ports stay; the next start, or another instance once the lease has lapsed, listens again.
 */
export class Relays {
  readonly #parts: RelaysParts;
  readonly #ports: RelayPorts;
  readonly #live = new Map<string, Relay>();
  /** By phone, so that a tick and a request never open the same relay at once. */
  readonly #lock = new KeyedLock();
  /** When each failure was logged last. */
  readonly #failures = new Map<string, number>();
  #timer: Timer | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #renewedMs = -Infinity;
  #watchedMs: number;
  #isClosed = false;

  constructor(parts: RelaysParts) {
    this.#parts = parts;
    this.#ports = new RelayPorts(parts);
    this.#watchedMs = parts.clock.monotonicMs();
  }

  get size(): number {
    return this.#live.size;
  }

  /** Listens for the relays that this instance had before it was restarted, and starts the ticks. */
  async start(): Promise<void> {
    await this.#tick();
    this.#scheduleTick();
  }

  async enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string }> {
    return this.#lock.run(request.phoneId, () => this.#enable(request));
  }

  /** The relay as it is now; undefined: off. */
  async find(phoneId: string): Promise<RelayDocument | undefined> {
    const document = await this.#parts.store.find(phoneId);
    if (!document || this.#isExpired(document)) return undefined;
    const live = this.#live.get(phoneId);
    if (live?.document.enableId !== document.enableId) return document;
    const refused = { ...document.refused };
    for (const [rule, count] of Object.entries(live.unreported)) refused[rule] = (refused[rule] ?? 0) + count;
    return { ...document, sessions: live.sessions, refused };
  }

  /** Turns a relay off, whichever instance listens for it. */
  async disable(phoneId: string): Promise<void> {
    await this.#lock.run(phoneId, async () => {
      const removed = await this.#parts.store.remove(phoneId);
      this.#drop(phoneId, 'turned off');
      if (!removed) return;
      const { accountId, device } = removed;
      this.#parts.log.info(
        { audit: 'adb.off', phone_id: phoneId, account_id: accountId, device, reason: 'turned off' },
        'ADB relay turned off',
      );
    });
  }

  /** Ends the sessions and frees the ports; the relays stay enabled for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#ticking;
    for (const relay of this.#live.values()) {
      relay.close('shutdown');
      await this.#attempt('report a relay', () => relay.report());
    }
    this.#live.clear();
  }

  async #enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string }> {
    const { clock, log } = this.#parts;
    const { phoneId, accountId, device, keyId, allow, lifetimeMs } = request;
    const code = createLoginCode();
    const now = clock.now();
    const terms: RelayTerms = {
      enableId: createId('relay', now),
      accountId,
      device,
      keyId,
      codeDigest: loginCodeDigest(code),
      allow,
      enabledAt: new Date(now),
      expiresAt: new Date(now + lifetimeMs),
    };
    const takenPorts = new Set<number>();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const document = await this.#tryEnable(phoneId, terms, takenPorts);
      if (!document) continue;
      const { host, port, expiresAt } = document;
      log.info(
        { audit: 'adb.enabled', phone_id: phoneId, account_id: accountId, device, key_id: keyId, allow, host, port, expires_at: expiresAt }, // prettier-ignore
        'ADB relay enabled',
      );
      return { document, code };
    }
    throw new ApiError('busy', `The ADB relay of "${device}" is being changed by other requests. Try again.`);
  }

  /** Returns undefined when the relay, or a port, was changed by another instance meanwhile. Adds ports that turned out to be taken. */
  async #tryEnable(phoneId: string, terms: RelayTerms, takenPorts: Set<number>): Promise<RelayDocument | undefined> {
    const { clock, store, instanceId } = this.#parts;
    const known = await store.find(phoneId);
    if (known && this.#isExpired(known)) {
      await store.remove(phoneId, known.enableId);
      return undefined;
    }
    const fresh = { ...terms, checks: [], refused: {}, sessions: [] };
    const live = this.#live.get(phoneId);
    const isMine = known?.instanceId === instanceId;
    if (known && (isMine ? live : known.leaseUntil.getTime() > clock.now())) {
      if ((await store.renewTerms(known, terms)) !== 'renewed') return undefined;
      const document = { ...known, ...fresh };
      if (isMine) live?.adopt(document);
      return document;
    }
    const port = await this.#ports.open(known ?? undefined, takenPorts);
    const place = this.#place(port);
    const outcome = known ? await store.renewTerms(known, terms, place) : await store.insert(phoneId, terms, place);
    if (outcome === 'renewed' || outcome === 'inserted') {
      const document = { _id: phoneId, ...fresh, ...place, endpoint: `${place.host}:${place.port}` };
      this.#listen(document, port);
      return document;
    }
    port.close();
    if (outcome === 'taken') takenPorts.add(port.port);
    return undefined;
  }

  #listen(document: RelayDocument, port: RelayPort): void {
    this.#drop(document._id, 'turned off');
    const { devices } = this.#parts;
    const relay = new Relay(document, port, {
      ...this.#parts,
      phones: {
        locate: async (phoneId) => (await devices.locatePhones({ phoneIds: [phoneId] })).phones[0],
        report: (phoneId, foundIdentity) =>
          void this.#attempt('report a phone', () =>
            devices.reportPhone({ phoneId, ...(foundIdentity !== undefined && { foundIdentity }) }),
          ),
      },
      onOff: (off) => {
        if (this.#live.get(document._id) === off) this.#live.delete(document._id);
      },
    });
    this.#live.set(document._id, relay);
  }

  #drop(phoneId: string, reason: CloseReason): void {
    this.#live.get(phoneId)?.close(reason);
    this.#live.delete(phoneId);
  }

  #place({ port }: RelayPort): RelayPlace {
    const { instanceId, advertisedHost, clock } = this.#parts;
    return { instanceId, host: advertisedHost, port, leaseUntil: new Date(clock.now() + LEASE_MS) };
  }

  #isExpired({ expiresAt }: RelayDocument): boolean {
    return expiresAt.getTime() <= this.#parts.clock.now();
  }

  #scheduleTick(): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.clock.after(TICK_MS, () => {
      this.#ticking = this.#tick().finally(() => this.#scheduleTick());
    });
  }

  async #tick(): Promise<void> {
    const { clock } = this.#parts;
    const hasLeases = await this.#attempt('renew the leases', () => this.#renew());
    if (!hasLeases && clock.monotonicMs() - this.#renewedMs > LEASE_MS) {
      // Another instance may have them by now.
      for (const phoneId of [...this.#live.keys()]) this.#drop(phoneId, 'error');
      return;
    }
    await this.#attempt('reconcile the relays', () => this.#reconcile());
    await this.#attempt('take over lapsed relays', () => this.#takeOverLapsed());
    if (clock.monotonicMs() - this.#watchedMs < WATCH_MS) return;
    this.#watchedMs = clock.monotonicMs();
    await this.#attempt('check devices and keys', () => this.#watchUses());
    await this.#attempt('check phones', () => this.#watchPhones());
  }

  /** Runs one step and returns whether it succeeded; a failure is logged, once a minute while the step keeps failing. */
  async #attempt(step: string, run: () => Promise<unknown>): Promise<boolean> {
    const { clock, log } = this.#parts;
    try {
      await run();
      this.#failures.delete(step);
      return true;
    } catch (error) {
      const nowMs = clock.monotonicMs();
      if (nowMs - (this.#failures.get(step) ?? -Infinity) >= SAME_FAILURE_MS) {
        this.#failures.set(step, nowMs);
        log.warn({ err: error, step }, 'a step of the ADB relays failed and will be tried again');
      }
      return false;
    }
  }

  async #renew(): Promise<void> {
    const { clock, store, instanceId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#renewedMs < LEASE_MS / 3) return;
    await store.renewLeases(instanceId, new Date(clock.now() + LEASE_MS));
    this.#renewedMs = nowMs;
  }

  /** Makes what is listened for equal to this instance's documents, and writes to them what happened here. */
  async #reconcile(): Promise<void> {
    const { store, instanceId } = this.#parts;
    const before = new Map([...this.#live].map(([phoneId, relay]) => [phoneId, relay.document.enableId]));
    const documents = new Map((await store.findOfInstance(instanceId)).map((document) => [document._id, document]));
    for (const [phoneId, enableId] of before) {
      const relay = this.#live.get(phoneId);
      // Changed here while the database was read: the document is older.
      if (relay?.document.enableId !== enableId) continue;
      const document = documents.get(phoneId);
      if (!document) this.#drop(phoneId, 'turned off');
      else if (document.enableId !== enableId) relay.adopt(document);
      else await this.#attempt('report a relay', () => relay.report());
    }
    for (const document of documents.values()) {
      if (!this.#live.has(document._id) && !before.has(document._id)) await this.#takeOver(document);
    }
  }

  async #takeOverLapsed(): Promise<void> {
    const { store, clock, instanceId } = this.#parts;
    for (const document of await store.findLapsed(new Date(clock.now()))) {
      if (this.#isExpired(document) || document.instanceId !== instanceId) await this.#takeOver(document);
    }
  }

  /** Listens for a relay that no instance listens for, or removes it when its time is over. */
  async #takeOver(document: RelayDocument): Promise<void> {
    const { store } = this.#parts;
    await this.#attempt(`take over the relay of ${document._id}`, () =>
      this.#lock.run(document._id, async () => {
        if (this.#live.has(document._id)) return;
        if (this.#isExpired(document)) {
          await store.remove(document._id, document.enableId);
          return;
        }
        const port = await this.#ports.open(document, new Set());
        const place = this.#place(port);
        if ((await store.move(document, place)) === 'moved') {
          this.#listen({ ...document, ...place, sessions: [] }, port);
        } else {
          port.close();
        }
      }),
    );
  }

  /** Turns off the relays whose device is deleted, or whose key is revoked or may not control the device any more. */
  async #watchUses(): Promise<void> {
    const { store, instanceId, devices } = this.#parts;
    // From the database: a relay that could not be listened for keeps its port there.
    for (const documents of inBatches(await store.findOfInstance(instanceId))) {
      const { allowed } = await devices.checkUses({
        uses: documents.map(({ _id: phoneId, keyId }) => ({ phoneId, keyId })),
      });
      const kept = new Set(allowed.map(({ phoneId, keyId }) => `${phoneId} ${keyId}`));
      for (const document of documents) {
        if (!kept.has(`${document._id} ${document.keyId}`))
          await this.#attempt('turn a relay off', () => this.#endUse(document));
      }
    }
  }

  async #endUse({ _id, enableId }: RelayDocument): Promise<void> {
    const live = this.#live.get(_id);
    if (live?.document.enableId === enableId) await live.turnOff('no longer allowed');
    else await this.#parts.store.remove(_id, enableId);
  }

  async #watchPhones(): Promise<void> {
    for (const relays of inBatches([...this.#live.values()].filter(({ hasPhone }) => hasPhone))) {
      const { phones } = await this.#parts.devices.locatePhones({
        phoneIds: relays.map(({ document }) => document._id),
      });
      const generations = new Map(phones.map(({ phoneId, generation }) => [phoneId, generation]));
      for (const relay of relays) relay.endSessionsBut(generations.get(relay.document._id));
    }
  }
}

function inBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_IDS) }, (_, index) =>
    items.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
  );
}
