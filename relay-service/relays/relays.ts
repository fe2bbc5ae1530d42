import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { createLoginCode, loginCodeDigest } from '../access/login-code.js';
import type { Pace } from '../connection/paced-input.js';
import type { UnacknowledgedBytes } from '../connection/unacknowledged-bytes.js';
import type { CloseReason } from '../connection/session.js';
import { LEASE_MS, type RelayLimits } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { RelayDocument, RelayPlace, RelayStore, RelayTerms } from '../store/relays.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { Attempts } from './attempts.js';
import { Relay, type TunnelClient, tunnelIsOff, type TunnelSession } from './relay.js';
import type { RelayPort } from './relay-port.js';
import { RelayPorts } from './relay-ports.js';

export interface RelaysParts {
  clock: Clock;
  log: Log;
  limits: RelayLimits;
  store: RelayStore;
  metrics: RelayMetrics;
  pace: Pace;
  unacknowledgedBytes: UnacknowledgedBytes;
  devices: Client<typeof PhoneService>;
  attempts: Attempts;
  /** Takes entries of timelines. */
  queue: Pick<TimelineQueue, 'add'>;
  listenHost: string;
  /** The host that customers connect to. */
  advertisedHost: string;
  /** Absent: any free port. */
  ports: { first: number; last: number } | undefined;
  /** The id stays the same after a restart. Two running instances never have the same id. */
  instanceId: string;
  /** Where other relay services reach this one's rpcs. Undefined: nowhere, or it is not known yet. */
  rpcUrl: () => string | undefined;
}

/** A request to enable the relay of a phone, with the terms. */
export interface EnableRelay {
  phoneId: string;
  accountId: string;
  device: string;
  /** The key or owner's session that enables it. */
  keyId: string;
  /** Empty: no port is opened. */
  allow: string[];
  /** Whether clients may connect through the API. */
  tunnel: boolean;
  lifetimeMs: number;
}

/** How often enabling starts over when another instance was faster. */
const MAX_TRIES = 20;

/**
 * Enables, finds and turns off the relays of all instances, which are in the database. Listens for the relays of this instance.
 *
 * After a crash, the documents stay and keep their ports. The next start listens again, or another instance does once the lease has lapsed
 * (RelayUpkeep).
 */
export class Relays {
  readonly #parts: RelaysParts;
  readonly #ports: RelayPorts;
  readonly #live = new Map<string, Relay>();
  /** Locks a phone, so that a tick and a request never open the same relay at the same time. */
  readonly #lock = new KeyedLock();
  /** Locks an account while one of its relays gets a port, so that relays at the same time are counted one after the other. */
  readonly #portLock = new KeyedLock();

  constructor(parts: RelaysParts) {
    this.#parts = parts;
    this.#ports = new RelayPorts(parts);
  }

  /** Relays that this instance listens for. */
  get live(): Relay[] {
    return [...this.#live.values()];
  }

  liveOf(phoneId: string): Relay | undefined {
    return this.#live.get(phoneId);
  }

  /** Turns a relay on, or on anew. The code is undefined where no port is open. */
  async enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string | undefined }> {
    return this.#lock.run(request.phoneId, () => this.#enable(request));
  }

  /** The relay as it is now; undefined: off. */
  async find(phoneId: string): Promise<RelayDocument | undefined> {
    const document = await this.#parts.store.find(phoneId);
    if (!document || this.#isExpired(document)) return undefined;
    const live = this.#live.get(phoneId);
    if (live?.document.enableId !== document.enableId) return document;
    return { ...document, sessions: live.sessions, refused: live.refused };
  }

  /**
   * Begins the session of a client that comes through the API. Returns it, or the URL of the relay service that listens for the relay and
   * must have the client. Throws busy, forbidden or unavailable when the client may not connect.
   */
  async connect(phone: { phoneId: string; device: string }, client: TunnelClient): Promise<string | TunnelSession> {
    const { phoneId, device } = phone;
    return this.#lock.run(phoneId, async () => {
      const document = await this.#parts.store.find(phoneId);
      if (!document || this.#isExpired(document) || document.tunnel !== true) throw tunnelIsOff(device);
      if (document.instanceId !== this.#parts.instanceId) {
        const { rpcUrl = '' } = document;
        if (rpcUrl === '') throw new ApiError('unavailable', elsewhere(device), { retryAfterS: RETRY_S });
        return rpcUrl;
      }
      const live = this.#live.get(phoneId);
      if (live === undefined) await this.#listenAgain(document);
      // Another instance set its terms, and this one has not seen that yet.
      else if (live.document.enableId !== document.enableId) await this.#follow(live, document);
      const relay = this.#live.get(phoneId);
      if (relay === undefined) throw relayIsChanging(device);
      return relay.connect(client);
    });
  }

  /** Turns a relay off, whichever instance listens for it. */
  async disable(phoneId: string): Promise<void> {
    await this.#lock.run(phoneId, async () => {
      const removed = await this.#parts.store.remove(phoneId);
      this.drop(phoneId, 'turned off');
      if (!removed) return;
      const { accountId, device } = removed;
      this.#parts.log.info(
        { audit: 'adb.off', phone_id: phoneId, account_id: accountId, device, reason: 'turned off' },
        'ADB relay turned off',
      );
    });
  }

  /** Listens for a relay that no instance listens for, or removes it when its time is over. */
  async takeOver(document: RelayDocument): Promise<void> {
    const { store } = this.#parts;
    await this.#parts.attempts.run(`take over the relay of ${document._id}`, () =>
      this.#lock.run(document._id, async () => {
        if (this.#live.has(document._id)) return;
        if (this.#isExpired(document)) {
          await store.remove(document._id, document.enableId);
          return;
        }
        await this.#listenAgain(document);
      }),
    );
  }

  /** Takes the new terms of a relay of this instance, which another instance has set. */
  async follow(document: RelayDocument): Promise<void> {
    await this.#lock.run(document._id, async () => {
      const live = this.#live.get(document._id);
      if (live !== undefined && live.document.enableId !== document.enableId) await this.#follow(live, document);
    });
  }

  async #follow(live: Relay, document: RelayDocument): Promise<void> {
    // An older release keeps the place of a relay, also where its terms need a port now, or need none.
    if (hasPort(document) === opensPort(document)) live.adopt(document);
    else await this.#listenAgain(document);
  }

  /** Turns off a relay because its device or its key may not be used any more. */
  async endUse({ _id, enableId, keyId }: RelayDocument): Promise<void> {
    const live = this.#live.get(_id);
    live?.endTunnelsOf(keyId);
    if (live?.document.enableId === enableId) await live.turnOff('no longer allowed');
    else await this.#parts.store.remove(_id, enableId);
  }

  /** Stops listening for a relay, which stays as it is in the database. */
  drop(phoneId: string, reason: CloseReason): void {
    this.#live.get(phoneId)?.close(reason);
    this.#live.delete(phoneId);
  }

  /** Stops listening for all relays, as other instances may have taken them over. */
  dropAll(): void {
    for (const phoneId of [...this.#live.keys()]) this.drop(phoneId, 'error');
  }

  /** Ends the sessions of clients that came through the API, as this service stops. */
  endTunnels(): void {
    for (const relay of this.live) relay.endTunnels();
  }

  /** Ends the sessions and frees the ports; the relays stay enabled for the next start. */
  async close(): Promise<void> {
    for (const relay of this.live) {
      relay.close('shutdown');
      await this.#parts.attempts.run('report a relay', () => relay.report());
    }
    this.#live.clear();
  }

  async #enable(request: EnableRelay): Promise<{ document: RelayDocument; code: string | undefined }> {
    const { clock, log } = this.#parts;
    const { phoneId, accountId, device, keyId, allow, tunnel, lifetimeMs } = request;
    const code = createLoginCode();
    const now = clock.now();
    const terms: RelayTerms = {
      enableId: createId('relay', now),
      accountId,
      device,
      keyId,
      codeDigest: loginCodeDigest(code),
      allow,
      tunnel,
      enabledAt: new Date(now),
      expiresAt: new Date(now + lifetimeMs),
    };
    const takenPorts = new Set<number>();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const document = await this.#tryEnable(phoneId, terms, takenPorts);
      if (!document) continue;
      const { host, port, expiresAt } = document;
      log.info(
        { audit: 'adb.enabled', phone_id: phoneId, account_id: accountId, device, key_id: keyId, allow, tunnel, host, port, expires_at: expiresAt }, // prettier-ignore
        'ADB relay enabled',
      );
      return { document, code: hasPort(document) ? code : undefined };
    }
    throw new ApiError('busy', `The ADB relay of "${device}" is being changed by other requests. Try again.`);
  }

  /** Returns undefined when the relay, or a port, was changed by another instance meanwhile. Adds ports that turned out to be taken. */
  async #tryEnable(phoneId: string, terms: RelayTerms, takenPorts: Set<number>): Promise<RelayDocument | undefined> {
    const { clock, store, instanceId, advertisedHost } = this.#parts;
    const known = await store.find(phoneId);
    if (known && this.#isExpired(known)) {
      await store.remove(phoneId, known.enableId);
      return undefined;
    }
    const fresh = { ...terms, checks: [], refused: {}, sessions: [] };
    const live = this.#live.get(phoneId);
    const isMine = known?.instanceId === instanceId;
    // A relay that gets a port, or loses it, gets another place, here.
    // So does a relay for clients of the API whose instance the others cannot reach.
    const isReached = terms.tunnel !== true || isMine || (known?.rpcUrl ?? '') !== '';
    const stays = known !== null && hasPort(known) === opensPort(terms) && isReached;
    if (stays && (isMine ? live : known.leaseUntil.getTime() > clock.now())) {
      if ((await store.renewTerms(known, terms)) !== 'renewed') return undefined;
      const document = { ...known, ...fresh };
      if (isMine) live?.adopt(document);
      return document;
    }
    const listen = (): Promise<RelayDocument | undefined> =>
      this.#listenAt({ _id: phoneId, ...terms }, known ?? undefined, takenPorts, async (place) => {
        const outcome = known ? await store.renewTerms(known, terms, place) : await store.insert(phoneId, terms, place);
        return outcome === 'taken' || outcome === 'lost' ? outcome : { _id: phoneId, ...fresh, ...place };
      });
    // A relay that has a port here is counted already.
    if (!opensPort(terms) || known?.host === advertisedHost) return listen();
    return this.#portLock.run(terms.accountId, async () => {
      await this.#ports.assertShare(terms.accountId);
      return listen();
    });
  }

  async #listenAgain(document: RelayDocument): Promise<void> {
    await this.#listenAt(document, document, new Set(), (place) => this.#parts.store.move(document, place));
  }

  /**
   * Opens a port, if the terms need one, and listens for the relay that `claim` writes to the database with this place. When `claim` does
   * not write it, frees the port and returns undefined. A port that another relay has is added to `takenPorts`.
   */
  async #listenAt(
    terms: Pick<RelayDocument, '_id' | 'allow'>,
    had: RelayDocument | undefined,
    takenPorts: Set<number>,
    claim: (place: RelayPlace) => Promise<RelayDocument | 'lost' | 'taken'>,
  ): Promise<RelayDocument | undefined> {
    const { instanceId, advertisedHost, clock } = this.#parts;
    const opened = opensPort(terms) ? await this.#ports.open(had, takenPorts) : undefined;
    const [host, port] = opened === undefined ? ['', NO_PORT] : [advertisedHost, opened.port];
    const endpoint = opened === undefined ? `:${terms._id}` : `${host}:${port}`;
    const leaseUntil = new Date(clock.now() + LEASE_MS);
    let claimed: RelayDocument | 'lost' | 'taken' = 'lost';
    try {
      claimed = await claim({ instanceId, host, port, endpoint, leaseUntil, rpcUrl: this.#parts.rpcUrl() ?? '' });
    } finally {
      if (typeof claimed === 'string') opened?.close();
    }
    if (claimed === 'taken') takenPorts.add(port);
    if (typeof claimed === 'string') return undefined;
    this.#listen(claimed, opened);
    return claimed;
  }

  #listen(document: RelayDocument, port: RelayPort | undefined): void {
    this.drop(document._id, 'turned off');
    const relay = new Relay(document, port, {
      ...this.#parts,
      onOff: (off) => {
        if (this.#live.get(document._id) === off) this.#live.delete(document._id);
      },
    });
    this.#live.set(document._id, relay);
  }

  #isExpired({ expiresAt }: RelayDocument): boolean {
    return expiresAt.getTime() <= this.#parts.clock.now();
  }
}

/** The port of a relay that has none. */
const NO_PORT = 0;

/** Whether a relay with these terms has a port: one whose list is empty is for clients through the API alone. */
function opensPort({ allow }: Pick<RelayDocument, 'allow'>): boolean {
  return allow.length > 0;
}

/** Whether a relay has a port now. */
export function hasPort({ port }: Pick<RelayDocument, 'port'>): boolean {
  return port !== NO_PORT;
}

/** When to try again while a relay is being changed by another instance, seconds. */
const RETRY_S = 1;

/** The refusal of a client whose relay is being changed. */
export function relayIsChanging(device: string): ApiError {
  return new ApiError('unavailable', `The ADB relay of "${device}" is changing. Try again.`, { retryAfterS: RETRY_S });
}

function elsewhere(device: string): string {
  return `Another relay service listens for the ADB relay of "${device}", and this one cannot reach it. Try again. If that does not help, ask the operator to set RELAY_GRPC_URL there.`;
}
