import { connect } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FAKE_IDENTITY, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { KeptLink } from './kept-link.js';

describe('a link that is kept', () => {
  it('leaves no connection open when it is dropped while it connects', async () => {
    const adbd = await startFakeAdbd(() => undefined);
    const link = new KeptLink({
      ...{ host: '127.0.0.1', port: adbd.port, clock: systemClock, identity: FAKE_IDENTITY },
      connectSocket: (host, port) => connect({ host, port }),
      connectTimeoutMs: 30_000,
    });
    const opening = link.link();
    link.drop();
    const opened = await opening;
    await adbd.disconnected();
    expect(opened.usable).to.equal(false);
    expect((await link.link()).usable, 'a later command opens a new one').to.equal(true);
    expect(adbd.connections).to.equal(2);
    link.close();
    await adbd.disconnected();
    await adbd.close();
  });
});
