import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { PacketScanner, type PacketSink } from '../../phone/adb/packet-scanner.js';
import { Command } from '../../phone/adb/packet.js';
import type { RelayLimits } from '../limits.js';
import type { Rule } from '../policy/rule.js';
import { TransferBudget } from '../transfer/budget.js';
import { Flow } from './flow.js';
import { agreementOf, checkGreetingHeader, type Greeting, greetingOf } from './greeting.js';
import { OpenService } from './open-service.js';
import { PacketOut } from './packet-out.js';
import { StreamSwitch } from './stream-switch.js';

/** What a session needs from the relay it belongs to. */
export interface SessionHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RelayLimits;
  /** Checks a login code. `off`: wrong, and the relay is turned off; the session closes itself when it has told its client. */
  login(session: Session, code: string): Promise<'ok' | 'wrong' | 'off' | 'unavailable'>;
  /** Counts and logs a refusal. */
  refused(session: Session, rule: Rule, service?: string): void;
  /** Client and phone have greeted each other. */
  greeted(session: Session): void;
  /** The session has logged in. */
  loggedIn(session: Session): void;
}

/** Where a phone is, and which start of it that is. */
export interface PhoneWay {
  generation: number;
  port: number;
  socket: Socket;
}

/** Why a session ended, for the log. */
export type CloseReason =
  | 'client left'
  | 'phone left'
  | 'phone not reachable'
  | 'phone stopped'
  | 'broken packet'
  | 'no greeting'
  | 'no login'
  | 'wrong codes'
  | 'idle'
  | 'stalled'
  | 'expired'
  | 'turned off'
  | 'key revoked'
  | 'shutdown'
  | 'error';

/**
 * One connection of a stock adb, from accept to close, with the connection to the phone that belongs to it alone:
 *
 * greeting -> (login) -> forwarding -> closed
 *
 * Both CNXNs pass through, so client and phone agree with each other and not with the relay.
 */
export class Session {
  readonly id: string;
  readonly address: string;
  readonly connectedAt: Date;
  isLoggedIn = false;
  /** Refusals by rule. */
  readonly refused: Partial<Record<Rule, number>> = {};
  /** Of the phone's start that it leads to; undefined until the phone is found. */
  generation: number | undefined;
  readonly #host: SessionHost;
  readonly #client: Socket;
  readonly #toClient: PacketOut;
  readonly #fromClient: PacketScanner;
  readonly #budget: TransferBudget;
  readonly #onClosed: (session: Session, reason: CloseReason) => void;
  readonly #timers = new Set<Timer>();
  #phone: { socket: Socket; out: PacketOut; scanner: PacketScanner } | undefined;
  #phonePort = 0;
  #clientGreeting: Greeting | undefined;
  #switch: StreamSwitch | undefined;
  #flow: Flow | undefined;
  #lastTrafficMs: number;
  #isClosed = false;

  constructor(parts: {
    id: string;
    address: string;
    client: Socket;
    host: SessionHost;
    /** Finds the phone and connects to it; rejects when it does not run or cannot be reached. */
    connectPhone: () => Promise<PhoneWay>;
    onClosed: (session: Session, reason: CloseReason) => void;
  }) {
    const { client, host } = parts;
    this.id = parts.id;
    this.address = parts.address;
    this.connectedAt = new Date(host.clock.now());
    this.#host = host;
    this.#client = client;
    this.#onClosed = parts.onClosed;
    this.#toClient = new PacketOut(client);
    this.#fromClient = new PacketScanner(this.#clientSink());
    this.#budget = new TransferBudget(host.limits.transferBytes);
    this.#lastTrafficMs = host.clock.monotonicMs();

    client.setNoDelay(true);
    client.setKeepAlive(true, KEEP_ALIVE_MS);
    client.on('data', (chunk) => this.#receive(this.#fromClient, chunk));
    client.on('error', (error) => this.#host.log.debug({ err: error, session: this.id }, 'client connection failed'));
    client.on('close', () => this.close('client left'));
    // A client that says no more cannot be answered to any use.
    client.on('end', () => this.close('client left'));

    this.#after(host.limits.greetingMs, () => {
      if (!this.#switch) this.close(this.#clientGreeting ? 'phone not reachable' : 'no greeting');
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

  /** Bytes sent to the client and to the phone. */
  get traffic(): { toClientBytes: number; toPhoneBytes: number } {
    return { toClientBytes: this.#toClient.sentBytes, toPhoneBytes: this.#phone?.out.sentBytes ?? 0 };
  }

  /** Bytes of files that it has moved. */
  get transferredBytes(): number {
    return this.#budget.usedBytes;
  }

  /** Ends both connections; what the client has coming is still sent, for a moment. Safe to call again. */
  close(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#flow?.close();
    this.#fromClient.stop();
    this.#phone?.scanner.stop();
    this.#phone?.socket.destroy();
    this.#switch?.close();
    if (reason === 'broken packet' || reason === 'client left') this.#client.destroy();
    else if (this.isGreeted) this.#hangUp();
    // Nothing was said yet, and adb comes back at once after an end in good order.
    else this.#client.resetAndDestroy();
    this.#onClosed(this, reason);
  }

  #hangUp(): void {
    // Read on, into nothing: data left unread would turn the goodbye into a reset that takes our last words with it.
    this.#client.resume();
    this.#client.end();
    const linger = this.#host.clock.after(this.#host.limits.lingerMs, () => this.#client.destroy());
    this.#client.once('close', () => linger.cancel());
  }

  async #connect(connectPhone: () => Promise<PhoneWay>): Promise<void> {
    let way: PhoneWay;
    try {
      way = await connectPhone();
    } catch (error) {
      this.#host.log.debug({ err: error, session: this.id }, 'the phone of an ADB session cannot be reached');
      this.close('phone not reachable');
      return;
    }
    const { socket } = way;
    socket.on('error', (error) => this.#host.log.debug({ err: error, session: this.id }, 'phone connection failed'));
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const scanner = new PacketScanner(this.#phoneSink());
    const out = new PacketOut(socket);
    this.#phone = { socket, out, scanner };
    this.#phonePort = way.port;
    this.generation = way.generation;
    const client = { socket: this.#client, out: this.#toClient };
    const { ownRepliesBytes, stalledMs } = this.#host.limits;
    this.#flow = new Flow({
      client,
      phone: this.#phone,
      ownRepliesBytes,
      clock: this.#host.clock,
      stalledMs,
      onStalled: () => this.close('stalled'),
    });
    socket.on('data', (chunk) => this.#receive(scanner, chunk));
    socket.on('close', () => this.close('phone left'));
    this.#greetPhone();
  }

  #receive(scanner: PacketScanner, chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#lastTrafficMs = this.#host.clock.monotonicMs();
    try {
      scanner.push(chunk);
      this.#adjustFlow();
    } catch (error) {
      const isMalformed = error instanceof MalformedPacket;
      if (isMalformed) this.#host.log.info({ session: this.id, reason: error.message }, 'ADB session dropped');
      else this.#host.log.error({ err: error, session: this.id }, 'ADB packet could not be handled');
      this.close(isMalformed ? 'broken packet' : 'error');
    }
  }

  #adjustFlow(): void {
    if (!this.#isClosed) this.#flow?.adjust();
  }

  #clientSink(): PacketSink {
    const before: Omit<PacketSink, 'pass'> = {
      route: (header) => {
        if (this.#clientGreeting) checkNothingYet();
        checkGreetingHeader(header, 'client');
        return 'gather';
      },
      packet: (packet) => {
        this.#clientGreeting = greetingOf(packet);
        this.#greetPhone();
      },
      piece: () => undefined,
      end: () => undefined,
    };
    return {
      route: (header) => (this.#switch?.clientSink ?? before).route(header),
      piece: (header, bytes) => this.#switch?.clientSink.piece(header, bytes),
      end: (header) => this.#switch?.clientSink.end(header),
      packet: (packet) => (this.#switch?.clientSink ?? before).packet(packet),
      pass: (bytes, endsPacket) => this.#phone?.out.bytes(bytes, endsPacket),
    };
  }

  #phoneSink(): PacketSink {
    const before: Omit<PacketSink, 'pass'> = {
      route: (header) => {
        checkGreetingHeader(header, 'phone');
        return 'gather';
      },
      packet: (packet) => this.#begin(greetingOf(packet)),
      piece: () => undefined,
      end: () => undefined,
    };
    return {
      route: (header) => (this.#switch?.phoneSink ?? before).route(header),
      piece: (header, bytes) => this.#switch?.phoneSink.piece(header, bytes),
      end: (header) => this.#switch?.phoneSink.end(header),
      packet: (packet) => (this.#switch?.phoneSink ?? before).packet(packet),
      pass: (bytes, endsPacket) => this.#toClient.bytes(bytes, endsPacket),
    };
  }

  /** Says the client's CNXN to the phone, once there are both. */
  #greetPhone(): void {
    const greeting = this.#clientGreeting;
    if (!greeting || !this.#phone) return;
    this.#phone.out.packet(Command.CNXN, greeting.version, greeting.maxPayloadBytes, greeting.banner);
  }

  /** The phone has answered: its CNXN goes to the client, and from here on there are streams. */
  #begin(phoneGreeting: Greeting): void {
    const phone = this.#phone;
    if (!this.#clientGreeting || !phone)
      throw new MalformedPacket('CNXN from the phone before the client had said one');
    const agreement = agreementOf(this.#clientGreeting, phoneGreeting);
    const { limits } = this.#host;
    const streams = new StreamSwitch({
      client: this.#toClient,
      phone: phone.out,
      agreement,
      maxStreams: limits.maxStreams,
      maxServiceNameBytes: limits.maxServiceNameBytes,
      onOpen: (open) => services.open(open),
      onPhoneOpen: () => this.#host.refused(this, 'reverse'),
      onMalformed: (reason) => this.#host.log.info({ session: this.id, reason }, 'a file transfer made no sense'),
    });
    const services = new OpenService({
      streams,
      session: this,
      host: this.#host,
      budget: this.#budget,
      phonePort: this.#phonePort,
      delay: (run) => this.#after(limits.lingerMs, run),
    });
    this.#switch = streams;
    this.#toClient.packet(Command.CNXN, phoneGreeting.version, phoneGreeting.maxPayloadBytes, phoneGreeting.banner);
    this.#toClient.checksum = agreement.checksum;
    this.#host.greeted(this);
    phone.out.checksum = agreement.checksum;
  }

  /** Re-armed at each end, so that the moment is exact without a timer for every packet. */
  #watchIdle(afterMs: number): void {
    this.#after(afterMs, () => {
      const { clock, limits } = this.#host;
      if ((this.#switch?.running ?? 0) > 0) {
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

/** Peers that are gone without a word are noticed by the system after this and some probes, ms. */
const KEEP_ALIVE_MS = 60_000;

function checkNothingYet(): never {
  throw new MalformedPacket('the client went on before it was answered');
}
