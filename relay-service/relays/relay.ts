import type { Client } from '@connectrpc/connect';
import type { Socket } from 'node:net';
import pLimit from 'p-limit';
import type { Clock, Timer } from '../../kit/async/clock.js';
import { ClientGone } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { type AllowList, parseAllowList, plainAddress } from '../../kit/net/allow-list.js';
import { checkCode } from '../access/check-code.js';
import type { Pace } from '../connection/paced-input.js';
import type { UnacknowledgedBytes } from '../connection/unacknowledged-bytes.js';
import type { PeerStream } from '../connection/peer-stream.js';
import { type CloseReason, Session, type SessionHost } from '../connection/session.js';
import type { RelayLimits } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { RelayDocument, RelaySession, RelayStore } from '../store/relays.js';
import { RelayTimeline } from '../timeline/relay-timeline.js';
import { PhoneConnector } from './phone-connector.js';
import type { Attempts } from './attempts.js';
import { ConnectionTally } from './connection-tally.js';
import { RefusalCounts, type RefusalTotals } from './refusal-counts.js';
import { RelayLines } from './relay-lines.js';
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
  /** Called when the relay has turned itself off, or has found that it was turned off. It is closed by then. */
  onOff: (relay: Relay) => void;
}

/** A client that comes through the API. */
export interface TunnelClient {
  stream: PeerStream;
  /** Its address, as the edge counts requests by it. Undefined: it came by gRPC, without the edge. */
  address: string | undefined;
  keyId: string;
  /** Called when its session has ended. */
  onClosed: (reason: CloseReason) => void;
}

/** The session of a client that comes through the API. */
export type TunnelSession = Pick<Session, 'close'>;

/** A relay that this instance listens for: its port, if it has one, its terms and its sessions. */
export class Relay {
  readonly #parts: RelayParts;
  readonly #port: RelayPort | undefined;
  readonly #log: Log;
  readonly #sessions = new Map<string, Session>();
  #document: RelayDocument;
  #allow: AllowList;
  #expiry: Timer | undefined;
  #isClosed = false;
  /** A person has the phone: nobody may connect until it is given back. */
  #isPaused = false;
  /** Codes are checked one after the other. Otherwise checks that are not decided yet would count as wrong codes. */
  readonly #checks = pLimit(1);
  readonly #phone: PhoneConnector;
  readonly #timeline: RelayTimeline;
  #refused: RefusalCounts;
  readonly #refusedConnections = new ConnectionTally<'address' | 'sessions'>();
  /** Connections that ended without a login. */
  readonly #failedConnections = new ConnectionTally<CloseReason>();
  readonly #lines: RelayLines;
  /** Whether there is something for the next report. */
  #hasChanged = false;

  constructor(document: RelayDocument, port: RelayPort | undefined, parts: RelayParts) {
    this.#parts = parts;
    this.#port = port;
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#log = parts.log.child({ phone_id: document._id, device: document.device, account_id: document.accountId });
    this.#lines = new RelayLines({ ...parts, log: this.#log });
    this.#timeline = new RelayTimeline(parts);
    const onLocated = (timeline: boolean): void => this.noteTimeline(timeline);
    this.#phone = new PhoneConnector({ ...parts, phoneId: document._id, onLocated, log: this.#log });
    this.#refused = new RefusalCounts(parts.metrics, document.refused);
    this.#watchExpiry();
    port?.onConnection((socket) => this.#accept(socket));
  }

  get document(): RelayDocument {
    return this.#document;
  }

  get sessions(): RelaySession[] {
    return [...this.#sessions.values()].map(({ id, address, connectedAt, isLoggedIn, keyId }) => ({
      id,
      address,
      connectedAt,
      loggedIn: isLoggedIn,
      tunnel: keyId !== undefined,
    }));
  }

  /** Refusals by rule. They include the refusals that are not in the database yet. */
  get refused(): RefusalTotals {
    return this.#refused.totals;
  }

  /** Whether a session leads to a phone. */
  get hasPhone(): boolean {
    return [...this.#sessions.values()].some(({ generation }) => generation !== undefined);
  }

  /** Takes the new terms of a relay that was enabled again, and ends the old sessions other than `except`. */
  adopt(document: RelayDocument, except?: Session): void {
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#endSessions('turned off', except);
    this.#refused = new RefusalCounts(this.#parts.metrics, document.refused);
    this.#watchExpiry();
  }

  /** Notes whether the timeline of the relay's device is on. */
  noteTimeline(isOn: boolean): void {
    this.#timeline.isOn = isOn;
  }

  /** Lends the phone to the relay's sessions, if one of them is logged in. */
  async lend(): Promise<void> {
    if ([...this.#sessions.values()].some(({ isLoggedIn }) => isLoggedIn)) await this.#phone.lend();
  }

  /**
   * Ends the sessions that are connected to another start of the phone than `generation`. Undefined: ends all that are connected to the
   * phone.
   */
  endSessionsBut(generation: number | undefined): void {
    for (const session of [...this.#sessions.values()]) {
      if (session.generation !== undefined && session.generation !== generation) session.close('phone stopped');
    }
  }

  /** Ends all sessions, and takes no connections, while a person has the phone. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#endSessions('handed over', undefined);
  }

  /** The keys of the clients that came through the API. */
  get tunnelKeys(): Set<string> {
    return new Set([...this.#sessions.values()].flatMap(({ keyId }) => keyId ?? []));
  }

  /** Ends the sessions of clients that came through the API with this key. */
  endTunnelsOf(revoked: string): void {
    for (const session of [...this.#sessions.values()]) if (session.keyId === revoked) session.close('key revoked');
  }

  /** Ends the sessions of all clients that came through the API, as this service stops. */
  endTunnels(): void {
    for (const session of [...this.#sessions.values()]) if (session.keyId !== undefined) session.close('shutdown');
  }

  /** Begins the session of a client that comes through the API. Throws busy or forbidden when it may not connect. */
  connect(client: TunnelClient): TunnelSession {
    const { maxSessions } = this.#parts.limits;
    const { device, allow, tunnel } = this.#document;
    const { stream, address = UNKNOWN_ADDRESS } = client;
    // The client left while this was waited for. Its stream would never notify the session.
    if (stream.destroyed) throw new ClientGone();
    if (this.#isClosed || tunnel !== true) throw tunnelIsOff(device);
    if (this.#isPaused) throw new ApiError('busy', `A person has "${device}". Connect again once it is given back.`);
    if (allow.length > 0 && !this.#allow.allowsCaller(address)) {
      this.#countRefused('address', address);
      throw new ApiError(
        'forbidden',
        `The ADB relay of "${device}" takes no connections from this address, ${address}. Enable it with the address in "allow", or without "allow".`,
      );
    }
    if (this.#sessions.size >= maxSessions) {
      this.#countRefused('sessions', address);
      throw new ApiError(
        'busy',
        `"${device}" has ${maxSessions} ADB connections, the most at a time. End one, then connect again.`,
      );
    }
    return this.#begin(stream, address, client);
  }

  /** Frees the port and ends the sessions. The database is not changed. */
  close(reason: CloseReason, except?: Session): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#expiry?.cancel();
    this.#port?.close();
    this.#endSessions(reason, except);
    this.#lines.end();
  }

  /** Closes the relay and removes its document, which contains the code, from the database. */
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
    this.#lines.report();
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
    } else if (this.#isPaused) {
      refuseConnection(socket);
    } else if (this.#sessions.size >= this.#parts.limits.maxSessions) {
      this.#turnAway(socket, 'sessions', address);
    } else {
      this.#begin(socket, address);
    }
  }

  /** Begins a session. `tunnel`: the client came through the API. */
  #begin(client: PeerStream, address: string, tunnel?: TunnelClient): Session {
    const session = new Session({
      id: createId('adb', this.#parts.clock.now()),
      address,
      client,
      ...(tunnel !== undefined && { keyId: tunnel.keyId }),
      host: this.#sessionHost(),
      connectPhone: async () => {
        // The key is the login, so the phone is lent at once. At the port it is lent at the login.
        if (tunnel !== undefined) await this.#phone.lend();
        return this.#phone.connect();
      },
      onClosed: (closed, reason) => {
        this.#forget(closed, reason);
        tunnel?.onClosed(reason);
      },
    });
    this.#sessions.set(session.id, session);
    this.#hasChanged = true;
    this.#parts.metrics.opened(session);
    if (tunnel !== undefined) this.#noteLogin(session);
    return session;
  }

  #turnAway(socket: Socket, rule: 'address' | 'sessions', address: string): void {
    refuseConnection(socket);
    this.#countRefused(rule, address);
  }

  #countRefused(rule: 'address' | 'sessions', address: string): void {
    this.#refused.add(rule);
    this.#refusedConnections.add(rule, address);
    this.#hasChanged = true;
  }

  #noteLogin(session: Session): void {
    this.#hasChanged = true;
    const { address, keyId } = session;
    const fields = { address, ...(keyId !== undefined && { key_id: keyId }) };
    this.#lines.write({ audit: 'adb.login', message: 'ADB login' }, session, fields);
  }

  /** The relay's document, with the key that acts in a session. */
  #actor({ keyId = this.#document.keyId }: Session): Pick<RelayDocument, '_id' | 'keyId'> {
    return { _id: this.#document._id, keyId };
  }

  #forget(session: Session, reason: CloseReason): void {
    this.#sessions.delete(session.id);
    this.#hasChanged = true;
    this.#parts.metrics.closed(session);
    const { toClientBytes, toPhoneBytes } = session.traffic;
    const fields = {
      address: session.address,
      reason,
      logged_in: session.isLoggedIn,
      to_client_bytes: toClientBytes,
      to_phone_bytes: toPhoneBytes,
      file_bytes: session.transferredBytes,
      refused: session.refused,
      lasted_ms: this.#parts.clock.now() - session.connectedAt.getTime(),
    };
    const kind = { audit: 'adb.closed', message: 'ADB connection closed' } as const;
    if (session.isLoggedIn) {
      this.#timeline.ended(this.#actor(session), session, reason);
      this.#lines.write(kind, session, fields);
    } else {
      this.#failedConnections.add(reason, session.address);
      this.#log.debug({ audit: kind.audit, session: session.id, ...fields }, kind.message);
    }
  }

  #sessionHost(): SessionHost {
    const { limits } = this.#parts;
    return {
      ...this.#parts,
      log: this.#log,
      login: (session, code) => this.#checks(() => this.#check(session, code)),
      loggedIn: (session) => this.#noteLogin(session),
      passed: (session, command) => this.#timeline.passed(this.#actor(session), command),
      refused: (session, rule, service) => {
        this.#refused.add(rule);
        this.#hasChanged = true;
        const times = (session.refused[rule] ?? 0) + 1;
        session.refused[rule] = times;
        if (rule === 'login' && times >= limits.refusalsBeforeLogin) session.close('refusals');
        if (!session.isLoggedIn) return;
        // Only the first word of the service's name is logged, because the text after it may be a secret.
        const word = service === undefined ? undefined : /^[\w-]{0,40}/.exec(service)?.[0];
        this.#lines.write({ audit: 'adb.refused', rule, message: 'ADB service refused' }, session, { service: word });
      },
      faulty: (session, message, reason) => this.#lines.write({ message }, session, { reason }),
      phoneMissing: (_session, found) => this.#phone.report(found),
    };
  }

  async #check(session: Session, code: string): ReturnType<SessionHost['login']> {
    const { id, address } = session;
    try {
      let outcome = await checkCode(this.#parts, this.#document, code);
      // Where another instance has enabled the relay anew, the code may be the new one. That works as soon as its owner has it.
      const isAnew = outcome === 'off' && (await this.#catchUp(session)) && this.#allow.allows(address);
      if (isAnew) outcome = await checkCode(this.#parts, this.#document, code);
      if (outcome === 'wrong' || outcome === 'last wrong')
        this.#log.info({ audit: 'adb.wrong_code', session: id, address }, 'wrong ADB login code');
      if (outcome === 'right') {
        await this.#phone.lend();
        return 'ok';
      }
      // The session is one of the former terms, which ended. Only the right code keeps it.
      if (outcome === 'wrong') return isAnew ? 'off' : 'wrong';
      if (outcome !== 'off') await this.turnOff('wrong codes', session);
      return 'off';
    } catch (error) {
      this.#log.error({ err: error, session: id }, 'an ADB login could not be checked');
      return 'unavailable';
    }
  }

  /**
   * Handles a relay that was enabled again or turned off by another instance since the last tick. Takes its new terms and returns true, or
   * closes it.
   */
  async #catchUp(except: Session): Promise<boolean> {
    const { _id, instanceId } = this.#document;
    const document = await this.#parts.store.find(_id);
    if (document?.instanceId === instanceId) {
      this.adopt(document, except);
      return true;
    }
    this.close('turned off', except);
    this.#parts.onOff(this);
    return false;
  }

  #watchExpiry(): void {
    this.#expiry?.cancel();
    const leftMs = this.#document.expiresAt.getTime() - this.#parts.clock.now();
    this.#expiry = this.#parts.clock.after(Math.max(0, leftMs), () => {
      this.turnOff('expired').catch((error: unknown) => {
        // The relay is closed in any case. Its document has expired, so the next tick of any instance removes it.
        this.#log.error({ err: error }, 'an expired ADB relay could not be removed');
      });
    });
  }
}

/** The refusal of a client that comes through the API to a relay that is off, or on for its port alone. */
export function tunnelIsOff(device: string): ApiError {
  return new ApiError(
    'busy',
    `The ADB relay of "${device}" takes no connections through the API. Call POST /v1/devices/${device}/adb with {"tunnel": true}, then connect again.`,
  );
}

/** In place of the address of a client that came without the edge. */
const UNKNOWN_ADDRESS = 'unknown';
