import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import type { Log } from '../../kit/log.js';
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
import { Relay } from './relay.js';
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

/**
 * The relays that this instance listens for. Relays are enabled, found and turned off here for all instances: the database has them all.
 *
 * After a crash documents and ports stay; the next start, or another instance once the lease has lapsed, listens again (RelayUpkeep).
 */
export class Relays {
  readonly #parts: RelaysParts;
  readonly #ports: RelayPorts;
  readonly #live = new Map<string, Relay>();
  /** By phone, so that a tick and a request never open the same relay at once. */
  readonly #lock = new KeyedLock();

  constructor(parts: RelaysParts) {
    this.#parts = parts;
    this.#ports = new RelayPorts(parts);
  }

  /** Those that this instance listens for. */
  get live(): Relay[] {
    return [...this.#live.values()];
  }

  liveOf(phoneId: string): Relay | undefined {
    return this.#live.get(phoneId);
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
    return { ...document, sessions: live.sessions, refused: live.refused };
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
        await this.#listenAt(document, new Set(), (place) => store.move(document, place));
      }),
    );
  }

  /** Turns off a relay whose device or key may not be used any more. */
  async endUse({ _id, enableId }: RelayDocument): Promise<void> {
    const live = this.#live.get(_id);
    if (live?.document.enableId === enableId) await live.turnOff('no longer allowed');
    else await this.#parts.store.remove(_id, enableId);
  }

  /** Stops listening for a relay, which stays as it is in the database. */
  drop(phoneId: string, reason: CloseReason): void {
    this.#live.get(phoneId)?.close(reason);
    this.#live.delete(phoneId);
  }

  /** Stops listening for all: this instance may not have them any more. */
  dropAll(): void {
    for (const phoneId of [...this.#live.keys()]) this.drop(phoneId, 'error');
  }

  /** Ends the sessions and frees the ports; the relays stay enabled for the next start. */
  async close(): Promise<void> {
    for (const relay of this.live) {
      relay.close('shutdown');
      await this.#parts.attempts.run('report a relay', () => relay.report());
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
    return this.#listenAt(known ?? undefined, takenPorts, async (place) => {
      const outcome = known ? await store.renewTerms(known, terms, place) : await store.insert(phoneId, terms, place);
      return outcome === 'taken' || outcome === 'lost' ? outcome : { _id: phoneId, ...fresh, ...place };
    });
  }

  /**
   * Opens a port and listens on it for the relay that `claim` writes to the database with this place. Returns undefined, and frees the
   * port again, when `claim` does not write it; then adds a port that another relay has to `takenPorts`.
   */
  async #listenAt(
    had: RelayDocument | undefined,
    takenPorts: Set<number>,
    claim: (place: RelayPlace) => Promise<RelayDocument | 'lost' | 'taken'>,
  ): Promise<RelayDocument | undefined> {
    const { instanceId, advertisedHost: host, clock } = this.#parts;
    const opened = await this.#ports.open(had, takenPorts);
    const { port } = opened;
    const leaseUntil = new Date(clock.now() + LEASE_MS);
    let claimed: RelayDocument | 'lost' | 'taken' = 'lost';
    try {
      claimed = await claim({ instanceId, host, port, endpoint: `${host}:${port}`, leaseUntil });
    } finally {
      if (typeof claimed === 'string') opened.close();
    }
    if (claimed === 'taken') takenPorts.add(port);
    if (typeof claimed === 'string') return undefined;
    this.#listen(claimed, opened);
    return claimed;
  }

  #listen(document: RelayDocument, port: RelayPort): void {
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
