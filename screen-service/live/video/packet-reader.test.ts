import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { FloodGuard } from './flood-guard.js';
import { PacketReader, type VideoPacket } from './packet-reader.js';
import { parseConfiguration } from './parse-configuration.js';

const META = Buffer.from('h264\0\0\x02\xd0\0\0\x05\0', 'latin1');

function packet(flags: number, data: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header[0] = flags;
  header.writeUInt32BE(data.length, 8);
  return Buffer.concat([header, data]);
}

describe("the packets of a phone's video", () => {
  it('are read in pieces of any size', () => {
    const stream = Buffer.concat([META, packet(0x80, Buffer.from('set')), packet(0x40, Buffer.from('key')), packet(0, Buffer.from('delta'))]); // prettier-ignore
    for (const step of [1, 5, 1_000]) {
      const reader = new PacketReader();
      const packets: VideoPacket[] = [];
      for (let at = 0; at < stream.length; at += step) packets.push(...reader.push(stream.subarray(at, at + step)));
      expect(packets.map(({ kind, data }) => `${kind} ${data.toString()}`)).to.deep.equal(['configuration set', 'key key', 'delta delta']); // prettier-ignore
    }
  });

  it('of another codec, of none, and larger than any picture are refused before there is room for them', () => {
    const read = (...parts: Buffer[]) => [...new PacketReader().push(Buffer.concat(parts))];
    expect(() => read(Buffer.from('h265'), Buffer.alloc(8))).to.throw('a codec');
    expect(() => read(META, packet(0, Buffer.alloc(0)))).to.throw('a packet of 0 bytes');
    const header = Buffer.alloc(12);
    header.writeUInt32BE(0xffff_ffff, 8);
    expect(() => read(META, header)).to.throw('a packet of 4294967295 bytes');
  });

  it('of any size are whole', () => {
    const data = Buffer.alloc(3_000_000, 'pixels');
    const stream = Buffer.concat([META, packet(0x40, data), packet(0, data.subarray(7))]);
    const reader = new PacketReader();
    const packets: VideoPacket[] = [];
    for (let at = 0; at < stream.length; at += 50_001) packets.push(...reader.push(stream.subarray(at, at + 50_001)));
    expect(packets.map((one) => one.data.equals(data) || one.data.equals(data.subarray(7)))).to.deep.equal([true, true]); // prettier-ignore
  });

  it('keep none of the pieces that they come in', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const reader = new PacketReader();
    expect([...reader.push(Buffer.concat([META, packet(0, Buffer.alloc(1_000)).subarray(0, 12)]))]).to.be.empty;
    const pieces: WeakRef<ArrayBufferLike>[] = [];
    for (let at = 0; at < 100; at++) {
      const piece = Buffer.from(new ArrayBuffer(1));
      pieces.push(new WeakRef(piece.buffer));
      expect([...reader.push(piece)]).to.be.empty;
    }
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(pieces.filter((piece) => piece.deref() !== undefined).length).to.be.below(10);
    expect([...reader.push(Buffer.alloc(900))][0]?.data.length).to.equal(1_000);
  });

  it('are too many in a second, or too large together', () => {
    const guard = new FloodGuard();
    for (let at = 0; at < 600; at++) guard.count(1_000, at);
    expect(() => guard.count(1_000, 700)).to.throw('601 packets');
    for (let second = 3; second < 60; second++) guard.count(4_000_000, second * 1_000);
    const heavy = new FloodGuard();
    expect(() => {
      for (let at = 0; at < 10; at++) heavy.count(4_000_000, at);
    }).to.throw('bytes in');
  });

  it('with parameter sets that are none are refused', () => {
    for (const data of [
      Buffer.alloc(0),
      Buffer.from('67', 'hex'),
      Buffer.alloc(10_000),
      Buffer.from('00000001ffffffff', 'hex'),
    ]) {
      expect(() => parseConfiguration(data)).to.throw();
    }
  });
});
