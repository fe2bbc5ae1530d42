import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { PacketScanner, type PacketSink } from '../../phone/adb/packet-scanner.js';
import type { RelayLimits } from '../limits.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';
import type { Rule } from '../policy/rule.js';
import { TransferBudget } from '../transfer/transfer-budget.js';
import type { Agreement } from './agreement.js';
import { Flow } from './flow.js';
import { type PacketHandler, sinkOf } from './handling.js';
import { Handshake } from './handshake.js';
import { type Pace, PacedInput } from './paced-input.js';
import { OpenService, type ServiceSession } from './open-service.js';
import { PacketOut } from './packet-out.js';
import type { PeerStream } from './peer-stream.js';
import { StreamSwitch } from './stream-switch.js';

/** The relay, as its sessions use it. */
export interface SessionHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RelayLimits;
  readonly pace: Pace;
  readonly unacknowledgedBytes: UnacknowledgedBytes;
  /** Checks a login code. `off`: the relay is turned off now, so the session responds to its client as to a wrong code and then closes. */
  login(session: Session, code: string): Promise<'ok' | 'wrong' | 'off' | 'unavailable'>;
  /** Counts and logs a refusal. */
  refused(session: Session, rule: Rule, service?: string): void;
  loggedIn(session: Session): void;
  /** Logs a fault of a session that is logged in. Clients can cause any number of them, so few of them get lines. */
  faulty(session: Session, message: string, reason: string): void;
  /** Notes a command line that goes to the phone. */
  passed(session: Session, command: string): void;
  /** Reports that another phone, with the identity `found`, has the phone's address. Undefined: the phone there cannot be identified. */
  phoneMissing(session: Session, found: string | undefined): void;
}

/** A connection, with the phone to which it should lead: `identity` and `generation` name the phone and its boot. */
export interface PhoneConnection {
  generation: number;
  identity: string;
  port: number;
  socket: Socket;
}

/** Why a session ended, for the log. */
export type CloseReason =
  | 'client left'
  | 'phone left'
  | 'phone not reachable'
  | 'phone stopped'
  | 'other phone'
  | 'broken packet'
  | 'no greeting'
  | 'no login'
  | 'wrong codes'
  | 'refusals'
  | 'idle'
  | 'stalled'
  | 'expired'
  | 'turned off'
  | 'handed over'
  | 'no longer allowed'
  | 'key revoked'
  | 'shutdown'
  | 'error';

/** The connection to one side: packets arrive at `input`, and leave by `out`. */
interface Leg {
  socket: PeerStream;
  out: PacketOut;
  input: PacedInput;
}

/**
 * One connection of a customer's adb, from accept to close, and its own connection to the phone. It came to the relay's port, or through the
 * API with a key, which is its login. Its states are:
 *
 * handshake -> (login) -> forwarding -> closed
 */
export class Session {
  readonly id: string;
  readonly address: string;
  readonly connectedAt: Date;
  /** The key or owner's session with which the client came through the API. Undefined: it came to the port. */
  readonly keyId: string | undefined;
  isLoggedIn: boolean;
  /** Refusals by rule. */
  readonly refused: Partial<Record<Rule, number>> = {};
  readonly #host: SessionHost;
  readonly #client: Leg;
  readonly #budget: TransferBudget;
  readonly #onClosed: (session: Session, reason: CloseReason) => void;
  readonly #timers = new Set<Timer>();
  #phone: (Leg & Omit<PhoneConnection, 'socket'>) | undefined;
  readonly #handshake: Handshake;
  /** Undefined during the handshake. */
  #switch: StreamSwitch | undefined;
  #flow: Flow | undefined;
  #lastTrafficMs: number;
  #isClosed = false;

  constructor(parts: {
    id: string;
    address: string;
    client: PeerStream;
    /** The key with which the client came through the API. Absent: it came to the port, and must log in. */
    keyId?: string;
    host: SessionHost;
    /** Finds the phone and connects to it; rejects when it does not run or cannot be reached. */
    connectPhone: () => Promise<PhoneConnection>;
    onClosed: (session: Session, reason: CloseReason) => void;
  }) {
    const { client, host } = parts;
    this.id = parts.id;
    this.address = parts.address;
    this.connectedAt = new Date(host.clock.now());
    this.keyId = parts.keyId;
    this.isLoggedIn = parts.keyId !== undefined;
    this.#host = host;
    this.#onClosed = parts.onClosed;
    this.#budget = new TransferBudget(host.limits.transferBytes);
    this.#lastTrafficMs = host.clock.monotonicMs();
    this.#client = this.#leg(client, 'client');
    this.#handshake = new Handshake({
      client: this.#client.out,
      onDone: (agreement) => this.#begin(agreement),
      onOtherPhone: (found) => {
        host.phoneMissing(this, found);
        this.close('other phone');
      },
    });
    // A client that sends no more cannot use a response either.
    client.on('end', () => this.close('client left'));

    this.#after(host.limits.greetingMs, () => {
      if (!this.#switch) this.close(this.#handshake.hasClientGreeting ? 'phone not reachable' : 'no greeting');
    });
    this.#after(host.limits.loginMs, () => {
      if (!this.isLoggedIn) this.close('no login');
    });
    this.#watchIdle(host.limits.idleMs);
    void this.#connect(parts.connectPhone);
  }

  /** Whether client and phone have greeted each other; before that nothing is sent to the client. */
  get isGreeted(): boolean {
    return this.#switch !== undefined;
  }

  /** Which start of the phone this session is connected to. Undefined until the phone is reached. */
  get generation(): number | undefined {
    return this.#phone?.generation;
  }

  /** Bytes sent to the client and to the phone. */
  get traffic(): { toClientBytes: number; toPhoneBytes: number } {
    return { toClientBytes: this.#client.out.sentBytes, toPhoneBytes: this.#phone?.out.sentBytes ?? 0 };
  }

  /** Bytes of files that this session has moved. */
  get transferredBytes(): number {
    return this.#budget.usedBytes;
  }

  /** This session, as its services use it. */
  #serviceSession(): ServiceSession {
    return {
      isLoggedIn: () => this.isLoggedIn,
      limits: this.#host.limits,
      login: (code) => this.#host.login(this, code),
      onLogin: () => {
        this.isLoggedIn = true;
        this.#host.loggedIn(this);
      },
      onRefused: (rule, service) => this.#host.refused(this, rule, service),
      onPassed: (command) => this.#host.passed(this, command),
      close: (reason) => this.close(reason),
    };
  }

  /** Ends both connections. After most reasons, data that is queued for the client is still sent for a moment. Safe to call again. */
  close(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#flow?.close();
    this.#flow = undefined;
    this.#client.input.stop();
    this.#phone?.input.stop();
    this.#phone?.socket.destroy();
    this.#switch?.close();
    const { socket } = this.#client;
    if (reason === 'client left') socket.destroy();
    // Nothing was sent to the client yet. A reset is used, because adb reconnects at once after an orderly end.
    else if (!this.isGreeted) socket.resetAndDestroy();
    else if (reason === 'broken packet' || reason === 'stalled') socket.destroy();
    else this.#hangUp(socket);
    this.#onClosed(this, reason);
  }

  #hangUp(socket: PeerStream): void {
    const { clock, limits } = this.#host;
    // Read on and discard: unread data would turn the end into a reset, which discards the data sent last.
    let discardedBytes = 0;
    socket.on('data', ({ length }: Buffer) => {
      discardedBytes += length;
      if (discardedBytes > limits.discardedBytes) socket.destroy();
    });
    socket.resume();
    socket.end();
    const linger = clock.after(limits.lingerMs, () => socket.destroy());
    socket.once('close', () => linger.cancel());
  }

  #leg(socket: PeerStream, side: 'client' | 'phone'): Leg {
    const scanner = new PacketScanner(this.#sink(side));
    const input = new PacedInput(scanner, this.#host.pace, (read) => this.#work(read));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk: Buffer) => {
      // Data that arrives after the close is dropped, see `#hangUp`.
      if (this.#isClosed) return;
      this.#lastTrafficMs = this.#host.clock.monotonicMs();
      input.push(chunk);
    });
    socket.on('error', (error) =>
      this.#host.log.debug({ err: error, session: this.id }, `the connection to the ${side} failed`),
    );
    socket.on('close', () => this.close(`${side} left`));
    return { socket, input, out: new PacketOut(socket) };
  }

  async #connect(connectPhone: () => Promise<PhoneConnection>): Promise<void> {
    let connection: PhoneConnection;
    try {
      connection = await connectPhone();
    } catch (error) {
      this.#host.log.debug({ err: error, session: this.id }, 'the phone of an ADB session cannot be reached');
      this.close('phone not reachable');
      return;
    }
    if (this.#isClosed) {
      connection.socket.destroy();
      return;
    }
    const phone = { ...connection, ...this.#leg(connection.socket, 'phone') };
    this.#phone = phone;
    const onStalled = (): void => this.close('stalled');
    this.#flow = new Flow({ ...this.#host, ...this.#host.limits, client: this.#client, phone, onStalled });
    this.#handshake.connected(phone.out, phone.identity);
  }

  /** Handles packets by `read`, which may end the session. */
  #work(read: () => void): void {
    if (this.#isClosed) return;
    try {
      read();
      this.#flow?.adjust();
    } catch (error) {
      const isMalformed = error instanceof MalformedPacket;
      if (isMalformed) this.#dropped(error.message);
      else this.#host.log.error({ err: error, session: this.id }, 'ADB packet could not be handled');
      this.close(isMalformed ? 'broken packet' : 'error');
    }
  }

  #dropped(reason: string): void {
    const message = 'ADB session dropped';
    if (this.isLoggedIn) this.#host.faulty(this, message, reason);
    else this.#host.log.debug({ session: this.id, reason }, message);
  }

  /** Handles the packets of one side: by the handshake, then by the streams. */
  #sink(side: 'client' | 'phone'): PacketSink {
    return {
      ...sinkOf((header) => {
        const handler: PacketHandler = this.#switch ?? this.#handshake;
        return side === 'client' ? handler.fromClient(header) : handler.fromPhone(header);
      }),
      pass: (bytes, endsPacket) => (side === 'client' ? this.#phone : this.#client)?.out.bytes(bytes, endsPacket),
    };
  }

  /** Begins to forward streams, after the handshake. */
  #begin(agreement: Agreement): void {
    const phone = this.#phone;
    if (!phone) throw new Error('a handshake ended without a phone');
    const { limits } = this.#host;
    const streams = new StreamSwitch({
      client: this.#client.out,
      phone: phone.out,
      agreement,
      ...limits,
      onOpen: (open) => services.open(open),
      onPhoneOpen: () => this.#host.refused(this, 'reverse'),
      onMalformed: (reason) => this.#host.faulty(this, 'a file transfer could not be followed', reason),
    });
    const services = new OpenService({
      streams,
      session: this.#serviceSession(),
      budget: this.#budget,
      phonePort: phone.port,
      onJudged: (work) => this.#client.input.charge(work),
      delay: (run) => this.#after(limits.lingerMs, run),
    });
    this.#switch = streams;
  }

  /** Closes an idle session. The timer is set again only when it ends, so that packets need not set it. */
  #watchIdle(afterMs: number): void {
    this.#after(afterMs, () => {
      const { clock, limits } = this.#host;
      if (this.#switch?.isRunning === true) {
        this.#watchIdle(limits.idleMs);
        return;
      }
      const leftMs = this.#lastTrafficMs + limits.idleMs - clock.monotonicMs();
      if (leftMs <= 0) this.close('idle');
      else this.#watchIdle(leftMs);
    });
  }

  #after(ms: number, run: () => void): void {
    const timer = this.#host.clock.after(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

/** Silence after which the system begins to probe a peer, ms. A peer that vanished does not respond, and its connection then fails. */
const KEEP_ALIVE_MS = 60_000;
