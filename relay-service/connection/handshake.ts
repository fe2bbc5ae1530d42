import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import type { PacketSink } from '../../phone/adb/packet-scanner.js';
import { Command } from '../../phone/adb/packet.js';
import type { Agreement } from './agreement.js';
import { agreementOf, checkGreetingHeader, type Greeting, greetingOf } from './greeting.js';
import { IdentityCheck } from './identity-check.js';
import type { PacketOut } from './packet-out.js';

interface HandshakeParts {
  client: PacketOut;
  /** Client and phone have greeted each other, and it is the right phone. */
  onDone: (agreement: Agreement) => void;
  /** Another phone has the address; undefined: the phone there cannot be identified. */
  onOtherPhone: (found: string | undefined) => void;
}

/**
 * The beginning of a connection: the client's CNXN goes to the phone, the phone's identity is read, and its CNXN goes to the client. So
 * both agree with each other and not with the relay, and nothing is sent to a client whose phone is not there.
 */
export class Handshake {
  readonly clientSink: Omit<PacketSink, 'pass'>;
  readonly phoneSink: Omit<PacketSink, 'pass'>;
  readonly #parts: HandshakeParts;
  #clientGreeting: Greeting | undefined;
  #phone: { out: PacketOut; identity: string } | undefined;
  #identityCheck: IdentityCheck | undefined;

  constructor(parts: HandshakeParts) {
    this.#parts = parts;
    this.clientSink = gathering('client', (greeting) => {
      this.#clientGreeting = greeting;
      this.#greetPhone();
    });
    const greeting = gathering('phone', (found) => this.#phoneGreeted(found));
    const current = (): Omit<PacketSink, 'pass'> => this.#identityCheck?.sink ?? greeting;
    this.phoneSink = {
      ...greeting,
      route: (header) => current().route(header),
      packet: (packet) => current().packet(packet),
    };
  }

  /** Whether the client has sent its CNXN. */
  get hasClientGreeting(): boolean {
    return this.#clientGreeting !== undefined;
  }

  /** The connection to the phone is open; `identity` is that of the phone it should lead to. */
  connected(out: PacketOut, identity: string): void {
    this.#phone = { out, identity };
    this.#greetPhone();
  }

  /** Passes the client's CNXN on to the phone, once there are both. */
  #greetPhone(): void {
    const greeting = this.#clientGreeting;
    if (!greeting || !this.#phone) return;
    this.#phone.out.packet(Command.CNXN, greeting.version, greeting.maxPayloadBytes, greeting.banner);
  }

  #phoneGreeted(greeting: Greeting): void {
    const phone = this.#phone;
    if (!this.#clientGreeting || !phone) throw new MalformedPacket('CNXN from the phone before the client sent one');
    const agreement = agreementOf(this.#clientGreeting, greeting);
    phone.out.checksum = agreement.checksum;
    this.#identityCheck = new IdentityCheck(phone.out, agreement, (found) => {
      if (found !== phone.identity) {
        this.#parts.onOtherPhone(found);
        return;
      }
      const { client, onDone } = this.#parts;
      onDone(agreement);
      client.packet(Command.CNXN, greeting.version, greeting.maxPayloadBytes, greeting.banner);
      client.checksum = agreement.checksum;
    });
    this.#identityCheck.start();
  }
}

/** A sink for one CNXN; anything behind it is refused, as its sender has to wait for the other side's. */
function gathering(side: 'client' | 'phone', onGreeting: (greeting: Greeting) => void): Omit<PacketSink, 'pass'> {
  let isGreeted = false;
  return {
    route: (header) => {
      if (isGreeted) throw new MalformedPacket(`a packet from the ${side} before the other side had responded`);
      checkGreetingHeader(header, side);
      return 'gather';
    },
    packet: (packet) => {
      isGreeted = true;
      onGreeting(greetingOf(packet));
    },
    piece: () => undefined,
    end: () => undefined,
  };
}
