import { expect } from 'chai';
import {
  MalformedShellFrame,
  ShellFrame,
  ShellFrameReader,
  encodeShellFrame,
  parseWindowSize,
} from './shell-frames.js';

const BYTES = Buffer.from('0002000000' + '6869' + '0400000000' + '0301000000' + '07', 'hex');

function read(chunks: readonly Buffer[]): string[] {
  const reader = new ShellFrameReader();
  const pieces = chunks.flatMap((chunk) => [...reader.push(chunk)]);
  // Data comes in pieces as it was cut; joined it must be the same.
  const joined: { id: number; hex: string }[] = [];
  for (const { id, bytes } of pieces) {
    const last = joined.at(-1);
    if (last?.id === id && id < 3) last.hex += bytes.toString('hex');
    else joined.push({ id, hex: bytes.toString('hex') });
  }
  return joined.map(({ id, hex }) => `${id}:${hex}`);
}

describe('ShellFrameReader', () => {
  it('reads frames cut at every point', () => {
    for (let at = 0; at <= BYTES.length; at++)
      expect(read([BYTES.subarray(0, at), BYTES.subarray(at)]), `cut at ${at}`).to.deep.equal(['0:6869', '4:', '3:07']);
  });

  it('hands data on without waiting for the rest of a frame', () => {
    const reader = new ShellFrameReader();
    const [piece] = [...reader.push(Buffer.from('00ffffffff6162', 'hex'))];
    expect(piece).to.deep.equal({ id: ShellFrame.STDIN, bytes: Buffer.from('ab') });
  });

  it('refuses a control frame that would have to be gathered', () => {
    expect(() => read([Buffer.from('0500000100', 'hex')])).to.throw(MalformedShellFrame);
  });

  it('writes the frame it reads', () => {
    expect(Buffer.concat(encodeShellFrame(ShellFrame.EXIT, Buffer.from([7]))).toString('hex')).to.equal('030100000007');
  });

  it('reads window sizes and nothing else', () => {
    expect(parseWindowSize(Buffer.from('24x80,0x0\0'))).to.deep.equal({ rows: 24, columns: 80 });
    expect(parseWindowSize(Buffer.from('no'))).to.equal(undefined);
  });
});
