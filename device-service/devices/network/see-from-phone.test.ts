import { connect } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import type { PhoneExit } from '../../../phone/driver.js';
import { readIdentity } from '../../../phone/link/identity.js';
import { PhoneLink } from '../../../phone/link/phone-link.js';
import { createPhoneNetwork } from '../../../simulated-phone/network/phone-network.js';
import type { PhoneNetwork } from '../../../simulated-phone/system/system.js';
import { startPhone } from '../../../testing/phone/start-phone.js';
import { runScript } from '../../../testing/phone/run-script.js';
import { RealProxy } from '../../../testing/real-proxy.js';
import { Site } from '../../../testing/site.js';
import { linkOpener } from '../phones/open-link.js';
import { type SeeFromPhone, seeThroughAdb } from './see-from-phone.js';

describe('what a phone sees of its exit', () => {
  let site: Site;
  let proxy: RealProxy;
  let world: Awaited<ReturnType<typeof startPhone>>;

  before(async () => {
    site = await Site.start();
    proxy = await RealProxy.start({ scheme: 'http', addressOf: () => '127.0.0.9' });
  });
  after(async () => {
    await proxy.close();
    await site.close();
  });
  afterEach(() => world.stop());

  const see = async (page = `${site.url}/ip`): ReturnType<SeeFromPhone> => {
    const endpoint = { host: '127.0.0.1', port: world.port, identity: await identityOf(world.port) };
    const signal = new AbortController().signal;
    return seeThroughAdb(linkOpener(systemClock))(endpoint, { url: page, showsAddress: true }, signal);
  };
  const setProxy = (value: string) => runScript(world.phone.machine, `settings put global http_proxy '${value}'`);

  it('is by the HTTP proxy of its system where that is its only way out', async () => {
    world = await startPhone({ createNetwork: onlyByProxy });
    await setProxy(new URL(proxy.url()).host);
    expect(await see()).to.deep.equal({ timezone: 'Europe/Paris', seen: { address: '127.0.0.9' } });
  });

  it('is straight out where its system has no proxy', async () => {
    world = await startPhone({ createNetwork: (exit) => createPhoneNetwork(exit, NETWORK) });
    for (const none of ['', ':0']) {
      await setProxy(none);
      expect(await see()).to.deep.equal({ timezone: 'Europe/Paris', seen: { address: '127.0.0.1' } });
    }
  });

  it('runs nothing that the phone names as its proxy', async () => {
    world = await startPhone({ createNetwork: (exit) => createPhoneNetwork(exit, NETWORK) });
    for (const hostile of ['a;touch /sdcard/ran;:80', '$(touch /sdcard/ran):80', '-o/sdcard/ran:80']) {
      await setProxy(hostile);
      expect(await see()).to.have.property('seen');
    }
    expect((await runScript(world.phone.machine, 'ls /sdcard/ran')).status).to.not.equal(0);
  });
});

const NETWORK = { clock: systemClock, allowPrivateTargets: true };

/** The network of a phone in a container, from which nothing but the proxy is reached. */
function onlyByProxy(exit: PhoneExit): PhoneNetwork {
  const network = createPhoneNetwork(exit, NETWORK);
  return {
    exit,
    fetchText: (url, options) =>
      options.proxy === undefined
        ? Promise.reject(new Error('Network is unreachable'))
        : network.fetchText(url, options),
  };
}

async function identityOf(port: number): Promise<string> {
  const link = await PhoneLink.open({
    ...{ host: '127.0.0.1', port, clock: systemClock, timeoutMs: 10_000 },
    connectSocket: (host, at) => connect({ host, port: at }),
  });
  try {
    return await readIdentity(link, { timeoutMs: 10_000 });
  } finally {
    link.close();
  }
}
