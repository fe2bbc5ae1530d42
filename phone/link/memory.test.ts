import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { PhoneLink } from './phone-link.js';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';

describe('a link that is kept', () => {
  let adbd: FakeAdbd;
  before(async () => (adbd = await startFakeAdbd((stream) => say(stream, Buffer.alloc(10_000, 0x61)))));
  after(() => adbd.close());

  it('keeps nothing of commands that have ended', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const link = await PhoneLink.open({
      host: '127.0.0.1',
      port: adbd.port,
      clock: systemClock,
      connectSocket: (host, port) => connect({ host, port }),
      timeoutMs: 30_000,
    });
    // The memory that was received, which a Buffer of it does not own.
    const outputs: WeakRef<ArrayBufferLike>[] = [];
    for (let command = 0; command < 30; command++) {
      const { buffer } = await link.exec('cat', { timeoutMs: 30_000, maxBytes: 20_000, doing: 'print' });
      outputs.push(new WeakRef(buffer));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
    const kept = outputs.filter((output) => output.deref() !== undefined).length;
    link.close();
    expect(kept).to.be.lessThan(5);
  });
});
