import { connect } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { PhoneLink } from './phone-link.js';

describe('a link with many commands at the same time', () => {
  let adbd: FakeAdbd;
  before(async () => (adbd = await startFakeAdbd((stream) => say(stream, Buffer.from('done')))));
  after(() => adbd.close());

  it('runs them without a warning of the process', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const link = await PhoneLink.open({
      host: '127.0.0.1',
      port: adbd.port,
      clock: systemClock,
      connectSocket: (host, port) => connect({ host, port }),
      timeoutMs: 30_000,
    });
    try {
      const options = { timeoutMs: 30_000, maxBytes: 100, doing: 'print' };
      const outputs = await Promise.all(Array.from({ length: 30 }, () => link.exec('true', options)));
      expect(outputs.map(String)).to.deep.equal(Array.from({ length: 30 }, () => 'done'));
    } finally {
      link.close();
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', onWarning);
    }
    expect(warnings).to.deep.equal([]);
  });
});
