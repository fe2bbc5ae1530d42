import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { Command, type PacketHeader } from '../../phone/adb/packet.js';
import type { Agreement } from './agreement.js';
import { agreementOf, checkGreetingHeader, type Greeting, greetingOf } from './greeting.js';
import type { Handling, PacketHandler } from './handling.js';
import { IdentityCheck } from './identity-check.js';
import type { PacketOut } from './packet-out.js';

interface HandshakeParts {
  client: PacketOut;
  /** Called when client and phone have greeted each other, and the phone is the right one. */
  onDone: (agreement: Agreement) => void;
  /** Called when another phone has the address. `found` is its identity; undefined if the phone there cannot be identified. */
  onOtherPhone: (found: string | undefined) => void;
}

/**
 * The beginning of a connection: the client's CNXN goes to the phone, the phone's identity is read, and the phone's CNXN goes to the
 * client. So client and phone agree with each other and not with the relay. The client gets nothing until the right phone has responded.
 */
export class Handshake implements PacketHandler {
  readonly #parts: HandshakeParts;
  #clientGreeting: Greeting | undefined;
  #phone: { out: PacketOut; identity: string } | undefined;
  #identityCheck: IdentityCheck | undefined;

  constructor(parts: HandshakeParts) {
    this.#parts = parts;
  }

  fromClient(header: PacketHeader): Handling {
    if (this.#clientGreeting) throw new MalformedPacket('a packet from the client before the phone had responded');
    checkGreetingHeader(header, 'client');
    return {
      route: 'gather',
      packet: (packet) => {
        this.#clientGreeting = greetingOf(packet);
        this.#greetPhone();
      },
    };
  }

  fromPhone(header: PacketHeader): Handling {
    if (this.#identityCheck) return this.#identityCheck.handle(header);
    checkGreetingHeader(header, 'phone');
    return { route: 'gather', packet: (packet) => this.#phoneGreeted(greetingOf(packet)) };
  }

  /** Whether the client has sent its CNXN. */
  get hasClientGreeting(): boolean {
    return this.#clientGreeting !== undefined;
  }

  /** Called when the connection to the phone is open. `identity` is the one that the right phone has. */
  connected(out: PacketOut, identity: string): void {
    this.#phone = { out, identity };
    this.#greetPhone();
  }

  /** Passes the client's CNXN on to the phone, once the CNXN has arrived and the phone is connected. */
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
