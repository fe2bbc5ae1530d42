import { expect } from 'chai';
import { MalformedPacket, PacketParser } from './packet-parser.js';
import { Command, encodePacket, type Packet } from './packet.js';

const anything = { maxPayloadBytes: () => 1_048_576, verifyChecksum: () => false };

/** OPEN(8, 0, "shell:ls\0") and OKAY(1, 8), as adb sends them. */
const OPEN_BYTES = Buffer.from('4f50454e0800000000000000090000000000000' + '0b0afbab17368656c6c3a6c7300', 'hex');
const OKAY_BYTES = Buffer.from('4f4b4159010000000800000000000000' + '00000000b0b4bea6', 'hex');

function parse(chunks: readonly Buffer[]): Packet[] {
  const parser = new PacketParser(anything);
  return chunks.flatMap((chunk) => [...parser.push(chunk)]);
}

describe('PacketParser', () => {
  const stream = Buffer.concat([OPEN_BYTES, OKAY_BYTES, OPEN_BYTES]);
  const expected = [
    { command: Command.OPEN, arg0: 8, arg1: 0, payload: Buffer.from('shell:ls\0') },
    { command: Command.OKAY, arg0: 1, arg1: 8, payload: Buffer.alloc(0) },
    { command: Command.OPEN, arg0: 8, arg1: 0, payload: Buffer.from('shell:ls\0') },
  ];

  it('reads packets that arrive in one piece', () => {
    expect(parse([stream])).to.deep.equal(expected);
  });

  it('reads packets cut at every point', () => {
    for (let at = 0; at <= stream.length; at++)
      expect(parse([stream.subarray(0, at), stream.subarray(at)]), `cut at ${at}`).to.deep.equal(expected);
  });

  it('reads packets that arrive byte by byte', () => {
    expect(parse([...stream].map((byte) => Buffer.from([byte])))).to.deep.equal(expected);
  });

  it('writes packets as it reads them', () => {
    const [open, okay] = expected as [Packet, Packet];
    expect(encodePacket(open, { checksum: false })).to.deep.equal(OPEN_BYTES);
    expect(encodePacket(okay, { checksum: true })).to.deep.equal(OKAY_BYTES);
  });

  it('refuses a wrong magic', () => {
    const broken = Buffer.from(OKAY_BYTES);
    broken[20] = 0;
    expect(() => parse([broken])).to.throw(MalformedPacket, 'magic');
  });

  it('refuses a payload over the limit from its header alone', () => {
    const huge = Buffer.from(OPEN_BYTES.subarray(0, 24));
    huge.writeUInt32LE(0xffffffff, 12);
    expect(() => parse([huge])).to.throw(MalformedPacket, 'over 1048576');
  });

  it('checks sums only when configured to', () => {
    const strict = new PacketParser({ ...anything, verifyChecksum: () => true });
    expect(() => [...strict.push(OPEN_BYTES)]).to.throw(MalformedPacket, 'checksum');
    const [open] = expected as [Packet];
    const another = new PacketParser({ ...anything, verifyChecksum: () => true });
    expect([...another.push(encodePacket(open, { checksum: true }))]).to.have.length(1);
  });
});
