import { expect } from 'chai';
import { seededRandom } from '../../testing/seeded-random.js';
import { MalformedPacket } from './packet-parser.js';
import { PacketScanner, type Route } from './packet-scanner.js';
import { Command, encodePacket, type Packet } from './packet.js';

/** Packets whose arg0 is their route. */
const ROUTES: Route[] = ['forward', 'watch', 'take', 'gather', 'drop'];

function scanned(chunks: Buffer[], push = (scanner: PacketScanner, chunk: Buffer): void => void scanner.push(chunk)) {
  const passed: Buffer[] = [];
  const shown: string[] = [];
  let between = true;
  const boundaries: boolean[] = [];
  const pieces: Buffer[] = [];
  const scanner = new PacketScanner({
    route: ({ arg0 }) => ROUTES[arg0] ?? 'drop',
    pass: (bytes, endsPacket) => {
      passed.push(bytes);
      between = endsPacket;
    },
    piece: (_header, bytes) => void pieces.push(Buffer.from(bytes)),
    end: ({ arg0, arg1 }) => {
      boundaries.push(between);
      shown.push(`${ROUTES[arg0] ?? ''} ${arg1} ${Buffer.concat(pieces.splice(0)).toString('latin1')}`);
    },
    packet: ({ arg1, payload }) => {
      boundaries.push(between);
      shown.push(`gather ${arg1} ${payload.toString('latin1')}`);
    },
  });
  for (const chunk of chunks) push(scanner, chunk);
  return { passed: Buffer.concat(passed), shown, boundaries, views: passed };
}

const packet = (route: Route, number: number, text: string): Packet => ({
  command: Command.WRTE,
  arg0: ROUTES.indexOf(route),
  arg1: number,
  payload: Buffer.from(text, 'latin1'),
});

const script = [
  packet('forward', 1, 'one'),
  packet('forward', 2, ''),
  packet('watch', 3, 'three'),
  packet('take', 4, 'four'),
  packet('gather', 5, 'five'),
  packet('drop', 6, 'six'),
  packet('watch', 7, ''),
  packet('gather', 8, ''),
  packet('take', 9, ''),
  packet('forward', 10, 'ten'),
];
const encoded = script.map((each) => encodePacket(each, { checksum: false }));
const whole = Buffer.concat(encoded);
const goesOn = Buffer.concat(encoded.filter((_bytes, index) => script[index]!.arg0 <= 1));
const shown = ['watch 3 three', 'take 4 four', 'gather 5 five', 'watch 7 ', 'gather 8 ', 'take 9 '];

describe('following packets by their headers', () => {
  it('passes, shows and keeps back, cut at each byte', () => {
    for (let at = 0; at <= whole.length; at++) {
      const result = scanned([whole.subarray(0, at), whole.subarray(at)]);
      expect(result.passed.equals(goesOn), `cut at ${at}`).to.equal(true);
      expect(result.shown).to.deep.equal(shown);
      expect(result.boundaries.every(Boolean), `cut at ${at}`).to.equal(true);
    }
  });

  it('does the same in the smallest pieces and in any', () => {
    expect(scanned(Array.from(whole, (byte) => Buffer.from([byte])))).to.deep.include({ shown });
    const random = seededRandom(3);
    for (let count = 0; count < 300; count++) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length;) {
        const size = 1 + Math.floor(random() * 60);
        chunks.push(whole.subarray(at, at + size));
        at += size;
      }
      const result = scanned(chunks);
      expect(result.passed.equals(goesOn)).to.equal(true);
      expect(result.shown).to.deep.equal(shown);
    }
  });

  it('passes neighbours in one piece, and as they lie in the chunk', () => {
    const neighbours = Buffer.concat([encoded[0]!, encoded[1]!, encoded[0]!]);
    const { views } = scanned([neighbours]);
    expect(views).to.have.length(1);
    expect(views[0]!.buffer).to.equal(neighbours.buffer);
  });

  it('throws at a header whose magic is wrong', () => {
    const bad = Buffer.from(encoded[0]!);
    bad[20]! ^= 1;
    expect(() => scanned([bad])).to.throw(MalformedPacket);
  });

  it('stops at a bound of work, and goes on with the bytes that are left', () => {
    for (let maxWork = 1; maxWork < 40; maxWork += 3) {
      const { passed, shown: seen, calls } = scannedWithin(maxWork);
      expect(passed.equals(goesOn), `within ${maxWork}`).to.equal(true);
      expect(seen).to.deep.equal(shown);
      if (maxWork === 1) expect(calls).to.be.greaterThan(script.length);
    }
  });
});

function scannedWithin(maxWork: number) {
  let calls = 0;
  const all = scanned([whole], (scanner, chunk) => {
    for (let left = chunk; left.length > 0; calls++) {
      const { rest, work } = scanner.push(left, maxWork);
      // The last packet or byte may be more than what was left.
      expect(work).to.be.below(maxWork + 9);
      left = rest;
    }
  });
  return { ...all, calls };
}
