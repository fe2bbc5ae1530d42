import { connect, type Socket } from 'node:net';
import type { Clock, Timer } from '../../kit/clock.js';
import { createId } from '../../kit/ids.js';
import type { Log } from '../../kit/log.js';
import { type AllowList, parseAllowList, plainAddress } from '../access/allow-list.js';
import { isLoginCode } from '../access/login-code.js';
import { type CloseReason, type PhoneWay, Session, type SessionHost } from '../connection/session.js';
import type { RelayLimits } from '../limits.js';
import type { RelayMetrics } from '../metrics.js';
import type { Rule } from '../policy/rule.js';
import type { RelayDocument, RelaySession, RelayStore } from '../store/relays.js';
import { refuseConnection, type RelayPort } from './relay-port.js';

/** Where a phone's adbd is. */
export interface PhonePlace {
  host: string;
  port: number;
  generation: number;
}

export interface RelayParts {
  clock: Clock;
  log: Log;
  limits: RelayLimits;
  store: RelayStore;
  metrics: RelayMetrics;
  /** Where a phone is now; undefined when it does not run. */
  locate: (phoneId: string) => Promise<PhonePlace | undefined>;
  /** The relay has turned itself off, or found that somebody did: it is closed. */
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
  /** Code checks one after the other, so that only checks that are decided fill the window. */
  #checks: Promise<unknown> = Promise.resolve();
  /** Since the last report. */
  #refused: Partial<Record<Rule, number>> = {};
  #hasNews = false;
  /** Strangers are logged by the report, not one by one: a client of adb's comes back four times a second. */
  #strangers: { count: number; latest: string } = { count: 0, latest: '' };

  constructor(document: RelayDocument, port: RelayPort, parts: RelayParts) {
    this.#parts = parts;
    this.#port = port;
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#log = parts.log.child({ phone_id: document._id, device: document.device, account_id: document.accountId });
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

  /** Refusals that have not been reported. */
  get unreported(): Partial<Record<Rule, number>> {
    return this.#refused;
  }

  /** Phone starts that live sessions lead to. */
  get generations(): Set<number> {
    const known = [...this.#sessions.values()].map(({ generation }) => generation);
    return new Set(known.filter((generation) => generation !== undefined));
  }

  /** It has been enabled again: the old sessions end, the new terms hold. */
  adopt(document: RelayDocument, except?: Session): void {
    this.#document = document;
    this.#allow = parseAllowList(document.allow);
    this.#refused = {};
    this.endSessions('turned off', except);
    this.#watchExpiry();
  }

  /** Ends sessions that lead to another start of the phone than `generation`; undefined: to any. */
  endSessionsBut(generation: number | undefined): void {
    for (const session of [...this.#sessions.values()]) {
      if (session.generation !== undefined && session.generation !== generation) session.close('phone stopped');
    }
  }

  endSessions(reason: CloseReason, except?: Session): void {
    for (const session of [...this.#sessions.values()]) if (session !== except) session.close(reason);
  }

  /** Frees the port and ends the sessions. The database is not touched. */
  close(reason: CloseReason, except?: Session): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#expiry?.cancel();
    this.#port.close();
    this.endSessions(reason, except);
  }

  /** Erases the code and everything else, here and in the database. */
  async turnOff(reason: CloseReason, except?: Session): Promise<void> {
    this.close(reason, except);
    this.#parts.onOff(this);
    await this.#parts.store.remove(this.#document._id, this.#document.enableId);
    this.#log.info({ audit: 'adb.off', reason }, 'ADB relay turned off');
  }

  /** Writes what happened since the last time to the database and the log. */
  async report(): Promise<void> {
    const { count, latest } = this.#strangers;
    if (count > 0) {
      this.#strangers = { count: 0, latest: '' };
      this.#log.info(
        { audit: 'adb.address_refused', count, latest },
        'connections from addresses that are not allowed',
      );
    }
    if (!this.#hasNews) return;
    const refused = this.#refused;
    this.#refused = {};
    this.#hasNews = false;
    try {
      await this.#parts.store.report(this.#document, refused, this.sessions);
    } catch (error) {
      this.#hasNews = true;
      for (const [rule, number] of Object.entries(refused)) this.#note(rule as Rule, number);
      throw error;
    }
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress;
    if (!this.#allow.allows(address)) {
      refuseConnection(socket);
      this.#count('address');
      this.#strangers = { count: this.#strangers.count + 1, latest: address ?? 'unknown' };
      return;
    }
    if (this.#sessions.size >= this.#parts.limits.maxSessions) {
      refuseConnection(socket);
      this.#count('sessions');
      this.#log.info({ audit: 'adb.refused', rule: 'sessions', address }, 'ADB connection refused: too many');
      return;
    }
    const session = new Session({
      id: createId('adb', this.#parts.clock.now()),
      address: plainAddress(address ?? ''),
      client: socket,
      host: this.#sessionHost(),
      connectPhone: () => this.#connectPhone(),
      onClosed: (closed, reason) => this.#forget(closed, reason),
    });
    this.#sessions.set(session.id, session);
    this.#hasNews = true;
    this.#parts.metrics.opened(session);
  }

  #forget(session: Session, reason: CloseReason): void {
    this.#sessions.delete(session.id);
    this.#hasNews = true;
    this.#parts.metrics.closed(session);
    const { toClientBytes, toPhoneBytes } = session.traffic;
    // One that was never answered may be one of very many: adb tries four times a second while the phone is off.
    this.#log[session.isGreeted ? 'info' : 'debug'](
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
    return {
      clock: this.#parts.clock,
      log: this.#log,
      limits: this.#parts.limits,
      login: (session, code) => this.#login(session, code),
      greeted: (session) =>
        this.#log.info({ audit: 'adb.connected', session: session.id, address: session.address }, 'ADB connection'),
      loggedIn: (session) => {
        this.#hasNews = true;
        this.#log.info({ audit: 'adb.login', session: session.id, address: session.address }, 'ADB login');
      },
      refused: (session, rule, service) => {
        this.#count(rule);
        const times = (session.refused[rule] ?? 0) + 1;
        session.refused[rule] = times;
        if (times > this.#parts.limits.loggedRefusals) return;
        // Only the word: what follows it may be anything, also a secret.
        const word = service === undefined ? undefined : /^[\w-]{0,40}/.exec(service)?.[0];
        this.#log.info({ audit: 'adb.refused', session: session.id, rule, service: word }, 'ADB service refused');
      },
    };
  }

  #count(rule: Rule): void {
    this.#note(rule, 1);
    this.#parts.metrics.refused(rule);
  }

  /** For the next report. */
  #note(rule: Rule, number: number): void {
    this.#refused[rule] = (this.#refused[rule] ?? 0) + number;
    this.#hasNews = true;
  }

  #login(session: Session, code: string): ReturnType<SessionHost['login']> {
    const checked = this.#checks.then(() => this.#check(session, code));
    this.#checks = checked.catch(() => undefined);
    return checked;
  }

  async #check(session: Session, code: string): ReturnType<SessionHost['login']> {
    const { clock, limits, store } = this.#parts;
    const at = new Date(clock.now());
    const check = { id: createId('chk', at.getTime()), at };
    const since = new Date(at.getTime() - limits.wrongCodesWindowMs);
    try {
      const reserved = await store.reserveCheck(this.#document, check, { most: limits.wrongCodesPerWindow, since });
      if (reserved === 'off') {
        await this.#catchUp(session);
        return 'off';
      }
      if (reserved === 'full') {
        await this.turnOff('wrong codes', session);
        return 'off';
      }
      if (isLoginCode(code, reserved.codeDigest)) {
        await store.forgetCheck(this.#document, check.id);
        return 'ok';
      }
      this.#log.info(
        { audit: 'adb.wrong_code', session: session.id, address: session.address },
        'wrong ADB login code',
      );
      const oldest = reserved.checks[0];
      const isFull = reserved.checks.length >= limits.wrongCodesPerWindow && oldest !== undefined && oldest.at > since;
      if (!isFull) return 'wrong';
      await this.turnOff('wrong codes', session);
      return 'off';
    } catch (error) {
      this.#log.error({ err: error, session: session.id }, 'an ADB login could not be checked');
      return 'unavailable';
    }
  }

  /** Another instance has enabled it anew or turned it off, and the next tick has not told yet. */
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

  async #connectPhone(): Promise<PhoneWay> {
    const { clock, limits, locate } = this.#parts;
    const place = await locate(this.#document._id);
    if (!place) throw new Error('the phone does not run');
    const { host, port, generation } = place;
    const options = { host, port, noDelay: true, highWaterMark: limits.bufferBytes };
    const socket = connect(options);
    return new Promise((resolve, reject) => {
      const timer = clock.after(limits.connectMs, () => socket.destroy(new Error('the phone did not answer in time')));
      socket.once('error', (error) => {
        timer.cancel();
        reject(error);
      });
      socket.once('connect', () => {
        timer.cancel();
        resolve({ socket, port, generation });
      });
    });
  }

  #watchExpiry(): void {
    this.#expiry?.cancel();
    const leftMs = this.#document.expiresAt.getTime() - this.#parts.clock.now();
    this.#expiry = this.#parts.clock.after(Math.max(0, leftMs), () => {
      this.turnOff('expired').catch((error: unknown) => {
        // Closed in any case; the document is past its time and is removed at the next tick of any instance.
        this.#log.error({ err: error }, 'an expired ADB relay could not be removed');
      });
    });
  }
}
