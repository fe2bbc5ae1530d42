import type { Client } from '@connectrpc/connect';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { Log } from '../../kit/log.js';
import type { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { createLoginCode, loginCodeDigest } from '../access/login-code.js';
import type { CloseReason } from '../connection/session.js';
import { LEASE_MS, type RelayLimits, TICK_MS, WATCH_MS } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { RelayDocument, RelayPlace, RelayStore, RelayTerms } from '../store/relays.js';
import { type PhonePlace, Relay } from './relay.js';
import type { RelayPort } from './relay-port.js';
import { RelayPorts } from './relay-ports.js';

export interface RelaysParts {
  clock: Clock;
  log: Log;
  limits: RelayLimits;
  store: RelayStore;
  metrics: RelayMetrics;
  devices: Client<typeof PhoneService>;
  access: Client<typeof AccessService>;
  listenHost: string;
  /** What customers are told to connect to. */
  advertisedHost: string;
  /** Absent: any free port. */
  ports: { first: number; last: number } | undefined;
  /** The same after a restart; two running instances never have the same. */
  instanceId: string;
}

/** Who enables a relay, for which phone, on which terms. */
export interface EnableRelay {
  phoneId: string;
  accountId: string;
  device: string;
  keyId: string;
  allow: string[];
  lifetimeMs: number;
}

/** How often enabling begins anew when another instance was faster. */
const MOST_TRIES = 20;
/** What one rpc takes (see the proto files). */
const MOST_IDS = 200;

/**
 * The relays that this instance has, kept equal to the database: every tick it looks at the documents that carry its name, so that
 * what another instance changed holds here a moment later; it renews its leases, takes over relays whose instance has gone, and
 * ends the sessions of phones that stopped and of keys that were revoked.
 *
 * After a crash: documents stay, and so do ports; the next start, or another instance once the lease lapses, listens again.
 */
export class Relays {
  readonly #parts: RelaysParts;
  readonly #ports: RelayPorts;
  readonly #live = new Map<string, Relay>();
  /** Per phone, so that a tick and a request never open the same relay at once. */
  readonly #turns = new Map<string, Promise<unknown>>();
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

  /** Listens for what this instance had before it was restarted, and begins to tick. */
  async start(): Promise<void> {
    await this.#tick();
    this.#scheduleTick();
  }

  async enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string }> {
    return this.#inTurn(request.phoneId, () => this.#enable(request));
  }

  /** The relay as it is now; undefined: off. */
  async find(phoneId: string): Promise<RelayDocument | undefined> {
    const document = await this.#parts.store.find(phoneId);
    if (!document || document.expiresAt.getTime() <= this.#parts.clock.now()) return undefined;
    const live = this.#live.get(phoneId);
    if (live?.document.enableId !== document.enableId) return document;
    const refused = { ...document.refused };
    for (const [rule, count] of Object.entries(live.unreported)) refused[rule] = (refused[rule] ?? 0) + count;
    return { ...document, sessions: live.sessions, refused };
  }

  /** Turns it off, wherever it is listened for. */
  async disable(phoneId: string): Promise<void> {
    await this.#inTurn(phoneId, async () => {
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
    await this.#ticking.catch(() => undefined);
    for (const relay of this.#live.values()) {
      relay.close('shutdown');
      await relay
        .report()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'last report of a relay failed'));
    }
    this.#live.clear();
  }

  async #enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string }> {
    const { clock, store, log } = this.#parts;
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
    const done = (document: RelayDocument): { document: RelayDocument; code: string } => {
      const { host, port, expiresAt } = document;
      log.info(
        {
          audit: 'adb.enabled',
          phone_id: phoneId,
          account_id: accountId,
          device,
          key_id: keyId,
          allow,
          host,
          port,
          expires_at: expiresAt,
        },
        'ADB relay enabled',
      );
      return { document, code };
    };
    const portsInVain = new Set<number>();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const known = await store.find(phoneId);
      if (known && known.expiresAt.getTime() <= clock.now()) {
        await store.remove(phoneId, known.enableId);
        continue;
      }
      const fresh = { ...terms, checks: [], refused: {}, sessions: [] };
      const live = this.#live.get(phoneId);
      const isMine = known?.instanceId === this.#parts.instanceId;
      if (known && (isMine ? live : known.leaseUntil.getTime() > clock.now())) {
        if ((await store.renewTerms(known, terms)) !== 'renewed') continue;
        const document = { ...known, ...fresh };
        if (isMine) live?.adopt(document);
        return done(document);
      }
      const port = await this.#ports.open(known ?? undefined, portsInVain);
      const place = this.#place(port);
      const outcome = known ? await store.renewTerms(known, terms, place) : await store.insert(phoneId, terms, place);
      if (outcome === 'renewed' || outcome === 'inserted') {
        const document = { _id: phoneId, ...fresh, ...place, endpoint: `${place.host}:${place.port}` };
        this.#listen(document, port);
        return done(document);
      }
      port.close();
      if (outcome === 'taken') portsInVain.add(port.port);
    }
    throw new ApiError('busy', `The ADB relay of "${device}" is being changed by others just now. Try again.`);
  }

  #listen(document: RelayDocument, port: RelayPort): void {
    this.#drop(document._id, 'turned off');
    const { clock, log, limits, store, metrics } = this.#parts;
    const relay = new Relay(document, port, {
      clock,
      log,
      limits,
      store,
      metrics,
      locate: (phoneId) => this.#locate(phoneId),
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

  async #locate(phoneId: string): Promise<PhonePlace | undefined> {
    const { phones } = await this.#parts.devices.locatePhones({ phoneIds: [phoneId] });
    return phones[0];
  }

  #scheduleTick(): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.clock.after(TICK_MS, () => {
      this.#ticking = this.#tick().finally(() => this.#scheduleTick());
    });
  }

  async #tick(): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      await this.#renew();
      await this.#agree();
      await this.#takeOverLapsed();
      if (clock.monotonicMs() - this.#watchedMs >= WATCH_MS) {
        this.#watchedMs = clock.monotonicMs();
        await this.#watchPhones();
        await this.#watchKeys();
      }
    } catch (error) {
      log.warn({ err: error }, 'the relays could not be looked after');
      if (clock.monotonicMs() - this.#renewedMs > LEASE_MS) {
        // Another instance may have them by now.
        for (const phoneId of [...this.#live.keys()]) this.#drop(phoneId, 'error');
      }
    }
  }

  async #renew(): Promise<void> {
    const { clock, store, instanceId } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#renewedMs < LEASE_MS / 3) return;
    await store.renewLeases(instanceId, new Date(clock.now() + LEASE_MS));
    this.#renewedMs = nowMs;
  }

  /** Makes what is listened for equal to the documents of this instance, and tells them what happened here. */
  async #agree(): Promise<void> {
    const { store, instanceId, clock } = this.#parts;
    const before = new Map([...this.#live].map(([phoneId, relay]) => [phoneId, relay.document.enableId]));
    const documents = new Map((await store.findOfInstance(instanceId)).map((document) => [document._id, document]));
    for (const [phoneId, enableId] of before) {
      const relay = this.#live.get(phoneId);
      // Changed here while the database was asked: what it answered is older.
      if (relay?.document.enableId !== enableId) continue;
      const document = documents.get(phoneId);
      if (!document) this.#drop(phoneId, 'turned off');
      else if (document.enableId !== enableId) relay.adopt(document);
      else await relay.report();
    }
    for (const document of documents.values()) {
      if (this.#live.has(document._id) || before.has(document._id)) continue;
      if (document.expiresAt.getTime() <= clock.now()) await store.remove(document._id, document.enableId);
      else await this.#takeOver(document);
    }
  }

  async #takeOverLapsed(): Promise<void> {
    const { store, clock, instanceId } = this.#parts;
    for (const document of await store.findLapsed(new Date(clock.now()))) {
      if (document.expiresAt.getTime() <= clock.now()) await store.remove(document._id, document.enableId);
      else if (document.instanceId !== instanceId) await this.#takeOver(document);
    }
  }

  /** Listens for a relay that nobody listens for. */
  async #takeOver(document: RelayDocument): Promise<void> {
    await this.#inTurn(document._id, async () => {
      if (this.#live.has(document._id)) return;
      const port = await this.#ports.open(document, new Set());
      const place = this.#place(port);
      if ((await this.#parts.store.move(document, place)) !== 'moved') {
        port.close();
        return;
      }
      this.#listen({ ...document, ...place, sessions: [] }, port);
    });
  }

  async #watchPhones(): Promise<void> {
    const relays = [...this.#live.values()].filter((relay) => relay.generations.size > 0);
    for (let at = 0; at < relays.length; at += MOST_IDS) {
      const asked = relays.slice(at, at + MOST_IDS);
      const { phones } = await this.#parts.devices.locatePhones({
        phoneIds: asked.map(({ document }) => document._id),
      });
      const generations = new Map(phones.map(({ phoneId, generation }) => [phoneId, generation]));
      for (const relay of asked) relay.endSessionsBut(generations.get(relay.document._id));
    }
  }

  async #watchKeys(): Promise<void> {
    const keyIds = [...new Set([...this.#live.values()].map(({ document }) => document.keyId))];
    for (let at = 0; at < keyIds.length; at += MOST_IDS) {
      const asked = keyIds.slice(at, at + MOST_IDS);
      const good = new Set((await this.#parts.access.checkKeys({ keyIds: asked })).goodKeyIds);
      const revoked = new Set(asked.filter((keyId) => !good.has(keyId)));
      for (const relay of [...this.#live.values()]) {
        if (revoked.has(relay.document.keyId)) await relay.turnOff('key revoked');
      }
    }
  }

  #inTurn<T>(phoneId: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(phoneId) ?? Promise.resolve()).then(run, run);
    this.#turns.set(phoneId, turn);
    const tidy = (): void => {
      if (this.#turns.get(phoneId) === turn) this.#turns.delete(phoneId);
    };
    turn.then(tidy, tidy);
    return turn;
  }
}
