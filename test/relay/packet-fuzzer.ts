import { Command, encodePacket, HEADER_BYTES } from '../../phone/adb/packet.js';

const COMMANDS = Object.values(Command);
const SERVICES = [
  'shell,v2,TERM=dumb,raw:echo fuzz',
  'shell:id',
  'shell',
  'sync:',
  'exec:cat',
  'abb_exec:package\0install\0-S\x00100',
  'abb:settings\0get\0system\0x',
  'reboot:',
  'root:',
  'remount:',
  'tcpip:5555',
  'usb:',
  'jdwp',
  'track-jdwp',
  'reverse:forward:tcp:1;tcp:2',
  'sideload:1',
  'restore:',
  'tcp:5555',
  'framebuffer:',
  '',
  'x'.repeat(5_000),
];

const LOGIN = 'shell,v2,raw:service-login nonsense';
/** More would turn the relay off. */
const MAX_LOGINS = 15;

/** Generates packets of a broken or hostile client, the same ones for the same random numbers. */
export class PacketFuzzer {
  readonly #random: () => number;
  #logins = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  integer(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** One packet, in the pieces in which it is to be sent. */
  packet(): Buffer[] {
    const bytes = this.chance(0.7) ? this.#plausible() : this.#mutated(this.#plausible());
    if (this.chance(0.8)) return [bytes];
    // Cut at any byte, or at each.
    if (this.chance(0.05)) return Array.from(bytes.subarray(0, 200), (byte) => Buffer.from([byte]));
    const at = this.integer(0, bytes.length);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  #plausible(): Buffer {
    const command = this.chance(0.6)
      ? this.pick([Command.OPEN, Command.WRTE, Command.OKAY, Command.CLSE])
      : this.chance(0.9)
        ? this.pick([Command.OPEN, Command.WRTE])
        : this.pick(COMMANDS);
    const payload = command === Command.OPEN ? Buffer.from(`${this.#service()}\0`) : this.#data(command);
    return encodePacket({ command, arg0: this.#id(), arg1: this.#id(), payload }, { checksum: this.chance(0.5) });
  }

  #service(): string {
    return this.chance(0.05) && this.#logins++ < MAX_LOGINS ? LOGIN : this.pick(SERVICES);
  }

  #id(): number {
    if (this.chance(0.8)) return this.integer(1, 300_000);
    return this.pick([0, 1, 2, 3, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff]);
  }

  #data(command: number): Buffer {
    if (command === Command.OKAY || command === Command.CLSE) return Buffer.alloc(this.pick([0, 0, 0, 4, 9]));
    const ids = ['SEND', 'DATA', 'DONE', 'STAT', 'LIST', 'RECV', 'QUIT', 'FAIL', 'JUNK'];
    const parts = Array.from({ length: this.integer(1, 4) }, () => {
      const body = Buffer.alloc(this.integer(0, this.chance(0.05) ? 70_000 : 200), 'x');
      const header = Buffer.alloc(8);
      header.write(this.pick(ids), 0, 'latin1');
      header.writeUInt32LE(this.chance(0.9) ? body.length : this.integer(0, 2 ** 32 - 1), 4);
      return Buffer.concat([header, body]);
    });
    return Buffer.concat(parts);
  }

  #mutated(packet: Buffer): Buffer {
    const bytes = Buffer.from(packet);
    switch (this.integer(0, 4)) {
      case 0: // any byte of the header
        bytes[this.integer(0, HEADER_BYTES - 1)] = this.integer(0, 255);
        return bytes;
      case 1: // a huge length
        bytes.writeUInt32LE(this.pick([0xffff_ffff, 0x7fff_ffff, 1024 * 1024 + 1, 16 * 1024 * 1024]), 12);
        return bytes;
      case 2: // another command, with the magic that fits
        bytes.writeUInt32LE(this.pick(COMMANDS), 0);
        bytes.writeUInt32LE(~bytes.readUInt32LE(0) >>> 0, 20);
        return bytes;
      case 3: // cut short: the following bytes are taken for the rest
        return bytes.subarray(0, this.integer(1, bytes.length));
      default: // noise
        return Buffer.from(Array.from({ length: this.integer(1, 100) }, () => this.integer(0, 255)));
    }
  }
}
