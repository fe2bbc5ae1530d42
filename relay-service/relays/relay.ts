import type { Client } from '@connectrpc/connect';
import type { Socket } from 'node:net';
import pLimit from 'p-limit';
import type { Clock, Timer } from '../../kit/clock.js';
import { createId } from '../../kit/ids.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { Log } from '../../kit/log.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { type AllowList, parseAllowList, plainAddress } from '../access/allow-list.js';
import { checkCode } from '../access/check-code.js';
import type { Pace } from '../connection/paced-input.js';
import type { UnacknowledgedBytes } from '../connection/unacknowledged-bytes.js';
import { type CloseReason, Session, type SessionHost } from '../connection/session.js';
import type { RelayLimits } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { RelayDocument, RelaySession, RelayStore } from '../store/relays.js';
import { RelayTimeline } from '../timeline/relay-timeline.js';
import { PhoneConnector } from './phone-connector.js';
import type { Attempts } from './attempts.js';
import { ConnectionTally } from './connection-tally.js';
import { RefusalCounts, type RefusalTotals } from './refusal-counts.js';
import { refuseConnection, type RelayPort } from './relay-port.js';

export interface RelayParts {
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
  /** The relay has turned itself off, or found that it was turned off: it is closed. */
  onOff: (relay: Relay) => void;
}

/** A relay that this instance listens for: its port, its terms and its sessions. */
export class Relay {
  readonly #parts: RelayParts;
  readonly #port: RelayPort;
  readonly #log: Log;
  readonly #sessions = new Map<string, Session>();
  #document: RelayDocument;
  #allow: AllowList;
  #expiry: Timer | undefined;
  #isClosed = false;
  /** Codes are checked one after the other, so that only decided checks fill the window. */
  readonly #checks = pLimit(1);
  readonly #phone: PhoneConnector;
  readonly #timeline: RelayTimeline;
  #refused: RefusalCounts;
  readonly #refusedConnections = new ConnectionTally<'address' | 'sessions'>();
  /** Connections that ended without a login. */
  readonly #failedConnections = new ConnectionTally<CloseReason>();
  /** Whether there is something for the next report. */
  #hasChanged = false;

  constructor(document: RelayDocument, port: RelayPort, parts: RelayParts) {
    this.#parts = parts;
    this.#port = port;
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#log = parts.log.child({ phone_id: document._id, device: document.device, account_id: document.accountId });
    this.#timeline = new RelayTimeline(parts);
    const onLocated = (timeline: boolean): void => this.noteTimeline(timeline);
    this.#phone = new PhoneConnector({ ...parts, phoneId: document._id, onLocated, log: this.#log });
    this.#refused = new RefusalCounts(parts.metrics, document.refused);
    this.#watchExpiry();
    port.onConnection((socket) => this.#accept(socket));
  }

  get document(): RelayDocument {
    return this.#document;
  }

  get sessions(): RelaySession[] {
    return [...this.#sessions.values()].map(({ id, address, connectedAt, isLoggedIn }) => ({
      id,
      address,
      connectedAt,
      loggedIn: isLoggedIn,
    }));
  }

  /** Refusals by rule, those included that are not in the database yet. */
  get refused(): RefusalTotals {
    return this.#refused.totals;
  }

  /** Whether a session leads to a phone. */
  get hasPhone(): boolean {
    return [...this.#sessions.values()].some(({ generation }) => generation !== undefined);
  }

  /** Takes the terms of a relay that was enabled again: the old sessions end. */
  adopt(document: RelayDocument, except?: Session): void {
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#endSessions('turned off', except);
    this.#refused = new RefusalCounts(this.#parts.metrics, document.refused);
    this.#watchExpiry();
  }

  /** Notes whether the timeline of its device is on. */
  noteTimeline(isOn: boolean): void {
    this.#timeline.isOn = isOn;
  }

  /** Lends the phone to its sessions, while one is logged in. */
  async lend(): Promise<void> {
    if ([...this.#sessions.values()].some(({ isLoggedIn }) => isLoggedIn)) await this.#phone.lend();
  }

  /** Ends sessions that lead to another start of the phone than `generation`; undefined: to any. */
  endSessionsBut(generation: number | undefined): void {
    for (const session of [...this.#sessions.values()]) {
      if (session.generation !== undefined && session.generation !== generation) session.close('phone stopped');
    }
  }

  /** Frees the port and ends the sessions. The database is not changed. */
  close(reason: CloseReason, except?: Session): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#expiry?.cancel();
    this.#port.close();
    this.#endSessions(reason, except);
  }

  /** Closes the relay and erases its code and everything else in the database. */
  async turnOff(reason: CloseReason, except?: Session): Promise<void> {
    this.close(reason, except);
    this.#parts.onOff(this);
    await this.#parts.store.remove(this.#document._id, this.#document.enableId);
    this.#log.info({ audit: 'adb.off', reason }, 'ADB relay turned off');
  }

  /** Writes the refusals and sessions since the last report to the database and the log. */
  async report(): Promise<void> {
    for (const [rule, tally] of this.#refusedConnections.take())
      this.#log.info({ audit: 'adb.connections_refused', rule, ...tally }, 'ADB connections refused');
    for (const [reason, tally] of this.#failedConnections.take())
      this.#log.info({ audit: 'adb.connections_failed', reason, ...tally }, 'ADB connections ended without a login');
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    try {
      await this.#parts.store.report(this.#document, this.refused, this.sessions);
    } catch (error) {
      this.#hasChanged = true;
      throw error;
    }
  }

  #endSessions(reason: CloseReason, except: Session | undefined): void {
    for (const session of [...this.#sessions.values()]) if (session !== except) session.close(reason);
  }

  #accept(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (!this.#allow.allows(socket.remoteAddress)) {
      this.#turnAway(socket, 'address', address);
    } else if (this.#sessions.size >= this.#parts.limits.maxSessions) {
      this.#turnAway(socket, 'sessions', address);
    } else {
      const session = new Session({
        id: createId('adb', this.#parts.clock.now()),
        address,
        client: socket,
        host: this.#sessionHost(),
        connectPhone: () => this.#phone.connect(),
        onClosed: (closed, reason) => this.#forget(closed, reason),
      });
      this.#sessions.set(session.id, session);
      this.#hasChanged = true;
      this.#parts.metrics.opened(session);
    }
  }

  #turnAway(socket: Socket, rule: 'address' | 'sessions', address: string): void {
    refuseConnection(socket);
    this.#refused.add(rule);
    this.#refusedConnections.add(rule, address);
    this.#hasChanged = true;
  }

  #forget(session: Session, reason: CloseReason): void {
    this.#sessions.delete(session.id);
    this.#hasChanged = true;
    this.#parts.metrics.closed(session);
    const { toClientBytes, toPhoneBytes } = session.traffic;
    if (session.isLoggedIn) this.#timeline.ended(this.#document, session, reason);
    else this.#failedConnections.add(reason, session.address);
    this.#log[session.isLoggedIn ? 'info' : 'debug'](
      {
        audit: 'adb.closed',
        session: session.id,
        address: session.address,
        reason,
        logged_in: session.isLoggedIn,
        to_client_bytes: toClientBytes,
        to_phone_bytes: toPhoneBytes,
        file_bytes: session.transferredBytes,
        refused: session.refused,
        lasted_ms: this.#parts.clock.now() - session.connectedAt.getTime(),
      },
      'ADB connection closed',
    );
  }

  #sessionHost(): SessionHost {
    const { limits } = this.#parts;
    return {
      ...this.#parts,
      log: this.#log,
      login: (session, code) => this.#checks(() => this.#check(session, code)),
      loggedIn: (session) => {
        this.#hasChanged = true;
        this.#log.info({ audit: 'adb.login', session: session.id, address: session.address }, 'ADB login');
      },
      passed: (command) => this.#timeline.passed(this.#document, command),
      refused: (session, rule, service) => {
        this.#refused.add(rule);
        this.#hasChanged = true;
        const times = (session.refused[rule] ?? 0) + 1;
        session.refused[rule] = times;
        if (rule === 'login' && times >= limits.refusalsBeforeLogin) session.close('refusals');
        if (!session.isLoggedIn || times > limits.loggedRefusals) return;
        // Only the service's word: the text behind it may be anything, also a secret.
        const word = service === undefined ? undefined : /^[\w-]{0,40}/.exec(service)?.[0];
        this.#log.info({ audit: 'adb.refused', session: session.id, rule, service: word }, 'ADB service refused');
      },
      phoneMissing: (_session, found) => this.#phone.report(found),
    };
  }

  async #check(session: Session, code: string): ReturnType<SessionHost['login']> {
    const { id, address } = session;
    try {
      const outcome = await checkCode(this.#parts, this.#document, code);
      if (outcome === 'wrong' || outcome === 'last wrong')
        this.#log.info({ audit: 'adb.wrong_code', session: id, address }, 'wrong ADB login code');
      if (outcome === 'right') {
        await this.#phone.lend();
        return 'ok';
      }
      if (outcome === 'wrong') return 'wrong';
      if (outcome === 'off') await this.#catchUp(session);
      else await this.turnOff('wrong codes', session);
      return 'off';
    } catch (error) {
      this.#log.error({ err: error, session: id }, 'an ADB login could not be checked');
      return 'unavailable';
    }
  }

  /** Another instance has enabled it again or turned it off since the last tick. */
  async #catchUp(except: Session): Promise<void> {
    const { _id, instanceId } = this.#document;
    const document = await this.#parts.store.find(_id);
    if (document?.instanceId === instanceId) {
      this.adopt(document, except);
      return;
    }
    this.close('turned off', except);
    this.#parts.onOff(this);
  }

  #watchExpiry(): void {
    this.#expiry?.cancel();
    const leftMs = this.#document.expiresAt.getTime() - this.#parts.clock.now();
    this.#expiry = this.#parts.clock.after(Math.max(0, leftMs), () => {
      this.turnOff('expired').catch((error: unknown) => {
        // Closed in any case; the next tick of any instance removes the document, which is past its time.
        this.#log.error({ err: error }, 'an expired ADB relay could not be removed');
      });
    });
  }
}
