import { expect } from 'chai';
import { TunnelStream } from './tunnel-stream.js';

describe('the stream of a tunnel', () => {
  async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
    for (const text of texts) yield Buffer.from(text);
  }
  /** A client that sends nothing and stays. */
  const silent = (): AsyncIterator<Uint8Array> => ({ next: () => new Promise(() => undefined) });

  it('has the bytes of the client in order, without empty pieces, and ends with them', async () => {
    const stream = new TunnelStream(pieces('CN', '', 'XN', ''), 1024);
    const read: string[] = [];
    for await (const chunk of stream) read.push(String(chunk));
    expect(read).to.deep.equal(['CN', 'XN']);
    expect(stream.bytesRead).to.equal(4);
  });

  it('takes no more than its buffer from a client while nobody reads it', async () => {
    let asked = 0;
    const flood: AsyncIterator<Uint8Array> = {
      next: async () => ({ done: false, value: Buffer.alloc(++asked > 0 ? 1_000 : 0) }),
    };
    const stream = new TunnelStream(flood, 10_000);
    stream.read(0);
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).to.be.within(5, 11);
    stream.destroy();
  });

  it('sends bytes in order, small ones joined, and the session waits while its reader takes none', async () => {
    const stream = new TunnelStream(silent(), 1024);
    for (const text of ['a', 'b', 'c']) expect(stream.write(text)).to.equal(true);
    expect(stream.write(Buffer.alloc(100_000))).to.equal(false);
    expect(stream.writableLength).to.equal(100_000);
    stream.end('d');
    const sent: number[] = [];
    for await (const piece of stream.output()) sent.push(piece.length);
    expect(sent).to.deep.equal([3, 65_536, 34_464, 1]);
    expect(stream.destroyed).to.equal(true);
  });

  it('ends its output when it is destroyed, also while that waits, and is destroyed when its reader leaves', async () => {
    const stream = new TunnelStream(silent(), 1024);
    const next = stream.output().next();
    stream.resetAndDestroy();
    expect((await next).done).to.equal(true);
    const left = new TunnelStream(silent(), 1024);
    left.write('a');
    const output = left.output();
    await output.next();
    await output.return();
    expect(left.destroyed).to.equal(true);
  });

  it('fails when the messages of the client fail', async () => {
    const failing: AsyncIterator<Uint8Array> = { next: () => Promise.reject(new Error('gone')) };
    const stream = new TunnelStream(failing, 1024);
    const failure = new Promise<Error>((resolve) => stream.once('error', resolve));
    stream.resume();
    expect((await failure).message).to.equal('gone');
  });
});
