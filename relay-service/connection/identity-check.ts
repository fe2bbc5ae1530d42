import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { Command, type Packet, type PacketHeader } from '../../phone/adb/packet.js';
import { IDENTITY_COMMAND, identityIn } from '../../phone/link/identity.js';
import { type Agreement, okayPayload } from './agreement.js';
import type { Handling } from './handling.js';
import type { PacketOut } from './packet-out.js';

/**
 * Reads a phone's identity, which differs between its boots, before the connection carries any stream of the customer. Addresses are
 * reused, so another phone may have this address by now.
 *
 * The stream is a shell without v2, which every phone has. The stream ends before the client gets its CNXN, so its id cannot collide
 * with an id of the client's.
 */
export class IdentityCheck {
  readonly #phone: PacketOut;
  readonly #agreement: Agreement;
  readonly #onRead: (identity: string | undefined) => void;
  #phoneId = 0;
  #output = '';

  /** `onRead` is called once, with undefined when the phone does not run the command. */
  constructor(phone: PacketOut, agreement: Agreement, onRead: (identity: string | undefined) => void) {
    this.#phone = phone;
    this.#agreement = agreement;
    this.#onRead = onRead;
  }

  start(): void {
    const window = this.#agreement.delayedAck ? MAX_OUTPUT_BYTES : 0;
    this.#phone.packet(Command.OPEN, OWN_ID, window, Buffer.from(`shell:${IDENTITY_COMMAND}\0`));
  }

  /** Handles a packet of the phone's. */
  handle({ length }: PacketHeader): Handling {
    if (length > this.#agreement.maxPayloadBytes) throw new MalformedPacket(`${length} bytes from the phone`);
    return { route: 'gather', packet: (packet) => this.#receive(packet) };
  }

  #receive({ command, arg0, arg1, payload }: Packet): void {
    if (command === Command.OPEN) this.#phone.packet(Command.CLSE, 0, arg0);
    if (arg1 !== OWN_ID) return;
    if (command === Command.OKAY) {
      this.#phoneId = arg0;
    } else if (command === Command.WRTE) {
      this.#output += payload.toString('utf8', 0, MAX_OUTPUT_BYTES);
      if (this.#output.length > MAX_OUTPUT_BYTES) throw new MalformedPacket('too long an identity from the phone');
      this.#phone.packet(Command.OKAY, OWN_ID, arg0, okayPayload(this.#agreement, payload.length));
    } else if (command === Command.CLSE) {
      if (this.#phoneId !== 0) this.#phone.packet(Command.CLSE, OWN_ID, this.#phoneId);
      this.#onRead(identityIn(this.#output));
    }
  }
}

const OWN_ID = 0xffff_fff0;
const MAX_OUTPUT_BYTES = 4096;
