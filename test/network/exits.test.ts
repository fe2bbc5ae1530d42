import { expect } from 'chai';
import { RealProxy } from '../../testing/real-proxy.js';
import { Site } from '../../testing/site.js';
import { type Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { shellOf } from './phone-shell.js';

describe('exits of phones', function () {
  let world: World;
  let site: Site;
  let name: string;
  const proxies: RealProxy[] = [];

  before(async () => {
    site = await Site.start();
    world = await startWorld({ addressUrl: `${site.url}/ip` });
    name = await world.api.createPhone();
  });
  after(async () => {
    await world.close();
    await site.close();
    for (const proxy of proxies) await proxy.close();
  });

  const start = async (options: Parameters<typeof RealProxy.start>[0]): Promise<RealProxy> => {
    const proxy = await RealProxy.start(options);
    proxies.push(proxy);
    return proxy;
  };
  const shell = (command: string): Promise<string> => shellOf(world.database, name, command);
  const change = (body: unknown, device = name): Promise<Answer> =>
    world.api.post(`/v1/devices/${device}/network`, body);
  /** The job, also when it failed. */
  const ended = async (accepted: Answer) => {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=30`)).body.job;
  };
  const exitOf = async () => (await world.api.get(`/v1/devices/${name}`)).body.device.exit;
  /** Opens the page in the phone's browser and returns its text. */
  const browse = async (url: string): Promise<string> => {
    await shell(`am start -a android.intent.action.VIEW -d ${url}`);
    for (let tries = 0; tries < 100; tries++) {
      const shown = await world.api.get(`/v1/devices/${name}/observe?screenshot=none`);
      const text = JSON.stringify(shown.body.observation.elements);
      if (/Canary|ERR_/.test(text)) return text;
    }
    throw new Error('the browser shows neither the page nor an error');
  };

  describe('200', () => {
    it('lists simulated exits on sale without a file', async () => {
      const { options } = (await world.api.get('/v1/network/options')).body;
      expect(options).to.have.length(28);
      expect(options).to.deep.include({ type: 'mobile', country: 'br', timezones: ['America/Sao_Paulo', 'America/Manaus', 'America/Recife'], rotates: true, drivers: ['simulated'] }); // prettier-ignore
    });
  });

  describe('202', () => {
    it('changes to an exit on sale: the phone sees its address, and its clock shows the zone', async () => {
      const job = await ended(await change({ type: 'mobile', country: 'jp' }));
      expect(job).to.include({ kind: 'network', state: 'done', progress: 100 });
      const exit = await exitOf();
      expect(exit).to.deep.equal({
        type: 'mobile',
        country: 'jp',
        timezone: 'Asia/Tokyo',
        address: job.result.address,
      });
      expect(await shell('curl -s http://address.invalid/; echo; getprop persist.sys.timezone')).to.equal(
        `${job.result.address as string}\nAsia/Tokyo\n`,
      );
    });

    it('rotates: the phone sees another address', async () => {
      const before = (await exitOf()).address;
      const job = await ended(await world.api.post(`/v1/devices/${name}/network/rotate`));
      expect(job).to.include({ kind: 'rotate', state: 'done' });
      expect(job.result.address).not.to.equal(before);
      expect((await exitOf()).address).to.equal(job.result.address);
      expect(await shell('curl -s http://address.invalid/')).to.equal(job.result.address);
    });

    for (const [at, scheme] of (['socks5', 'http'] as const).entries()) {
      it(`sends all traffic through the caller's own ${scheme} proxy, also the browser's`, async () => {
        const address = `127.0.0.${at + 20}`;
        const login = (user: string, password: string): boolean => user === 'cust' && password === 'S3cret/pass';
        const proxy = await start({ scheme, login, addressOf: () => address });
        const url = proxy.url('cust:S3cret%2Fpass@');
        const job = await ended(await change({ proxy: url, timezone: 'Europe/Paris' }));
        expect(job).to.deep.include({ state: 'done', result: { address } });
        expect(await exitOf()).to.deep.equal({ type: 'custom', country: 'zz', timezone: 'Europe/Paris', address });
        const passed = proxy.passed.length;
        const visits = site.visits.length;
        expect(await browse(`${site.url}/page`)).to.contain(`You come from ${address}`);
        expect(await shell(`curl -s ${site.url}/ip`)).to.equal(address);
        expect(proxy.passed.length - passed).to.equal(2);
        expect(site.visits.slice(visits).map((visit) => visit.address)).to.deep.equal([address, address]);
        expect(await shell('getprop persist.sys.timezone')).to.equal('Europe/Paris\n');
        // Nowhere to be read: neither in the database nor in customers' responses.
        const stored = JSON.stringify(await world.database.collection('devices').find().toArray());
        expect(stored).not.to.contain('S3cret');
        expect(stored).not.to.contain(String(proxy.port));
        expect(JSON.stringify((await world.api.get('/v1/devices')).body)).not.to.contain(String(proxy.port));
      });
    }

    it('ends the connections that the phone had by the old exit', async () => {
      const first = await start({ scheme: 'socks5' });
      await ended(await change({ proxy: first.url() }));
      // The rest of the page never comes.
      const { createServer } = await import('node:net');
      let gone: () => void = () => undefined;
      const isGone = new Promise<void>((resolve) => (gone = resolve));
      const slow = createServer((socket) => {
        socket.on('error', () => undefined).resume();
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
        socket.once('close', gone);
      });
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
      const { port } = slow.address() as { port: number };
      const fetching = shell(`curl -sS http://127.0.0.1:${port}/`);
      while (!first.passed.some(({ target }) => target.endsWith(`:${port}`)))
        await new Promise((resolve) => setImmediate(resolve));
      await ended(await change({ type: 'direct', country: 'de' }));
      await isGone;
      expect(await fetching).to.contain('curl: (');
      slow.close();
    });
  });

  describe('kill switch', () => {
    it('carries no traffic when the proxy is gone, in any way that the phone has, and never by the host', async () => {
      const proxy = await start({ scheme: 'socks5' });
      const url = proxy.url();
      await ended(await change({ proxy: url }));
      expect(await browse(`${site.url}/canary`)).to.contain('You come from');
      await proxy.close();
      const visits = site.visits.length;
      expect(await browse(`${site.url}/canary`)).to.contain('could not be reached');
      expect(await shell(`curl -sS ${site.url}/canary`)).to.contain('curl: (');
      expect(await shell(`curl -sS https://127.0.0.1:${new URL(site.url).port}/canary`)).to.contain('curl: (');
      await world.api.done(await world.api.post(`/v1/devices/${name}/restart`));
      expect(await shell(`curl -sS ${site.url}/canary`)).to.contain('curl: (');
      expect(site.visits.length).to.equal(visits);
      const problem = await ended(await change({ proxy: url }));
      expect(problem).to.include({ state: 'failed' });
      expect(problem.error.message).to.contain('The new exit does not work: its proxy could not be reached');
    });

    it('keeps the exit that the device has when a new one does not work', async () => {
      await ended(await change({ type: 'datacenter', country: 'gb' }));
      const before = await exitOf();
      const proxy = await start({ scheme: 'http', login: () => false });
      const job = await ended(await change({ proxy: proxy.url('a:b@'), timezone: 'Asia/Tokyo' }));
      expect(job.error).to.deep.equal({
        error: 'unavailable',
        message:
          'The new exit does not work: the proxy refused the user name or the password. The device keeps the exit it had.',
      });
      expect(await exitOf()).to.deep.equal(before);
      expect(await shell('getprop persist.sys.timezone; curl -s http://address.invalid/')).to.equal(
        `Europe/London\n${before.address as string}`,
      );
    });
  });

  describe('400', () => {
    for (const [body, text] of [
      [{ proxy: 'ftp://a:b@host:1' }, 'proxy has the scheme "ftp"; allowed are http, https, socks5'],
      [{ proxy: 'socks5://host' }, 'proxy has no port: write it, as in host:1080'],
      [{ proxy: 'socks5://host:0' }, 'proxy has the port 0; allowed are 1 to 65535'],
      [{ proxy: 'http://us%0d%0aer:secret@host:1' }, 'proxy has control characters in its user name or password'],
      [{ proxy: 'http://us%zzer:secret@host:1' }, 'a % that begins no escape'],
      [{ proxy: 'http://:secret@host:1' }, 'proxy has a password without a user name'],
      [{ proxy: 'http://host:1/path' }, 'proxy is not a URL such as socks5://user:password@host:1080'],
      [{ proxy: 'http://ho st:1' }, 'proxy has a host that is neither a name nor an address'],
      [{ proxy: 'http://host:1', type: 'mobile', country: 'de' }, 'proxy does not go together with type and country'],
      [{ proxy: 'http://host:1', timezone: 'Mars/Base' }, 'timezone: "Mars/Base" is not an IANA time zone'],
      [{}, 'send type and country (GET /v1/network/options lists them), or proxy'],
      [{ type: 'mobile' }, 'send type and country'],
      [{ type: 'custom', country: 'de' }, 'type'],
      [{ type: 'mobile', country: 'xx' }, 'country: "xx" is not on offer for mobile; on offer are br, de'],
      [{ type: 'mobile', country: 'de', timezone: 'Asia/Tokyo' }, 'timezone: "Asia/Tokyo" is not one of Europe/Berlin'],
      [{ proxy: `http://${'x'.repeat(3000)}:1` }, 'proxy'],
    ] as const) {
      it(`refuses ${JSON.stringify(body).slice(0, 60)}`, async () => {
        const refused = await change(body);
        expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
        expect(refused.body.message)
          .to.contain(text)
          .and.not.to.match(/secret|^network/);
        if ('proxy' in body && !('type' in body) && !('timezone' in body)) {
          const check = await world.api.post('/v1/network/check', body);
          expect([check.status, check.body.message]).to.deep.equal([400, refused.body.message]);
        }
      });
    }

    it('refuses to rotate an address that is fixed', async () => {
      await ended(await change({ type: 'direct', country: 'us' }));
      const refused = await world.api.post(`/v1/devices/${name}/network/rotate`);
      expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
      expect(refused.body.message).to.contain("The address of this device's exit (direct, us) is fixed.");
    });
  });

  it('is 401, 403, 404 and 409 as everywhere', async () => {
    const body = { type: 'mobile', country: 'de' };
    expect((await world.api.as('cp_wrong').post(`/v1/devices/${name}/network`, body)).status).to.equal(401);
    expect((await change(body, 'no-such')).status).to.equal(404);
    const off = await world.api.createPhone({ start: false });
    const busy = await change(body, off);
    expect([busy.status, busy.body.error]).to.deep.equal([409, 'busy']);
    expect(busy.body.message).to.contain(`Call POST /v1/devices/${off}/start first.`);
    // Also where the address is fixed, which is no matter until the phone runs.
    const rotation = await world.api.post(`/v1/devices/${off}/network/rotate`);
    expect([rotation.status, rotation.body.error]).to.deep.equal([409, 'busy']);
  });
});
