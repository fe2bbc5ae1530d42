import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { RealProxy } from '../../testing/real-proxy.js';
import { Site } from '../../testing/site.js';
import { until } from '../../testing/until.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { shellOf } from './phone-shell.js';

const PASSWORD = 'S3cret-of-the-operator';

describe("the operator's exits", function () {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-exits-file-'));
  const path = join(directory, 'exits.json');
  const lines: string[] = [];
  const proxies: RealProxy[] = [];
  let world: World;
  let site: Site;
  /** Wants a login with an exit tag; each tag has an address of its own. */
  let gate: RealProxy;
  let password = PASSWORD;
  /** Has one address, which the URL of the operator changes. */
  let modem: RealProxy;
  let modemAddress = '127.0.3.1';
  let tls: RealProxy;
  const refresh = { calls: [] as string[], status: 200 };
  const interfaceOfModem = createServer((request, response) => {
    refresh.calls.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (refresh.status === 200) modemAddress = `127.0.3.${refresh.calls.length + 1}`;
    response.writeHead(refresh.status).end();
  });

  const shell = (command: string): Promise<string> => shellOf(world.database, 'traveller', command);
  const fetchAddress = (): Promise<string> => shell(`curl -sS ${site.url}/ip`);
  const ended = async (accepted: Answer) => {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=30`)).body.job;
  };
  const change = async (type: string, country: string) =>
    ended(await world.api.post('/v1/devices/traveller/network', { type, country }));
  const rotate = async () => ended(await world.api.post('/v1/devices/traveller/network/rotate'));
  const device = async () => (await world.api.get('/v1/devices/traveller')).body.device;

  const exits = () => [
    ...['gate-1', 'gate-2'].map((name) => ({
      ...{ name, type: 'residential', country: 'de', timezones: ['Europe/Berlin'], rotate: 'session' },
      proxy: gate.url(`${name}-{session}:${password}@`),
    })),
    {
      ...{ name: 'modem', type: 'mobile', country: 'fr', timezones: ['Europe/Paris'], proxy: modem.url() },
      rotate: { url: `http://127.0.0.1:${(interfaceOfModem.address() as AddressInfo).port}/reconnect?key=${PASSWORD}` },
    },
    { name: 'tls', type: 'datacenter', country: 'gb', timezones: ['Europe/London'], proxy: tls.url(`u:${PASSWORD}@`) },
    { name: 'office', type: 'direct', country: 'us', timezones: ['America/New_York'] },
  ];
  const write = (text: string): void => writeFileSync(path, text);
  const logged = (text: string): string[] => lines.filter((line) => line.includes(text));

  before(async () => {
    site = await Site.start();
    await new Promise<void>((resolve) => interfaceOfModem.listen(0, '127.0.0.1', resolve));
    const addresses = new Map<string, string>();
    gate = await RealProxy.start({
      scheme: 'socks5',
      login: (user, given) => /^gate-[12]-[a-z0-9]{12}$/.test(user) && given === password,
      addressOf: (user) => {
        const address = addresses.get(user) ?? `127.0.2.${addresses.size + 1}`;
        addresses.set(user, address);
        return address;
      },
    });
    modem = await RealProxy.start({ scheme: 'http', addressOf: () => modemAddress });
    tls = await RealProxy.start({
      scheme: 'https',
      login: (user, given) => user === 'u' && given === PASSWORD,
      addressOf: () => '127.0.4.1',
    });
    proxies.push(gate, modem, tls);
    write(JSON.stringify({ exits: exits() }));
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    world = await startWorld({
      ...{ exitsFile: path, addressUrl: `${site.url}/ip`, log },
      ...(tls.ca !== undefined && { proxyCa: tls.ca }),
    });
    const accepted = await world.api.post('/v1/devices', {
      ...{ name: 'traveller', model: 'phone-720p', plan: 'minute', network: { type: 'residential', country: 'de' } },
    });
    await world.api.done(accepted);
  });
  after(async () => {
    await world.close();
    await site.close();
    for (const proxy of proxies) await proxy.close();
    interfaceOfModem.close();
    interfaceOfModem.closeAllConnections();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are on sale by type and country, a pool as one', async () => {
    const { options } = (await world.api.get('/v1/network/options')).body;
    expect(options.map((one: Record<string, unknown>) => [one['type'], one['country'], one['rotates']])).to.deep.equal([
      ['datacenter', 'gb', false],
      ['direct', 'us', false],
      ['mobile', 'fr', true],
      ['residential', 'de', true],
    ]);
  });

  it('carry the traffic of a new device, by an exit tag of its own', async () => {
    const address = await fetchAddress();
    expect(address).to.match(/^127\.0\.2\.\d+$/);
    expect(gate.passed.at(-1)?.user).to.match(/^gate-[12]-[a-z0-9]{12}$/);
    expect(site.visits.at(-1)?.address).to.equal(address);
    // The phone looks by itself once it runs.
    await until(async () => (await device()).exit.address === address);
  });

  it('rotate by another exit tag in the user name', async () => {
    const before = await fetchAddress();
    const user = gate.passed.at(-1)?.user;
    const job = await rotate();
    expect(job).to.include({ state: 'done' });
    expect(await fetchAddress())
      .to.equal(job.result.address)
      .and.not.equal(before);
    const now = gate.passed.at(-1)?.user;
    expect(now).to.not.equal(user);
    expect(now?.slice(0, 6), 'the same exit of the pool').to.equal(user?.slice(0, 6));
    expect((await device()).exit).to.include({ type: 'residential', country: 'de', address: job.result.address });
  });

  it('rotate by the URL of the operator, called once', async () => {
    expect(await change('mobile', 'fr')).to.deep.include({ state: 'done', result: { address: modemAddress } });
    const before = modemAddress;
    const job = await rotate();
    expect(job).to.deep.include({ state: 'done', result: { address: modemAddress } });
    expect(modemAddress).to.not.equal(before);
    expect(await fetchAddress()).to.equal(modemAddress);
    expect(refresh.calls).to.deep.equal([`GET /reconnect?key=${PASSWORD}`]);
  });

  it('keep the address when the URL of the operator fails, and do not show the URL', async () => {
    refresh.status = 500;
    const job = await rotate();
    refresh.status = 200;
    expect(job).to.include({ state: 'failed' });
    expect(job.error.message).to.equal("The exit's operator interface did not give a new address. Try again later.");
    expect(await fetchAddress()).to.equal(modemAddress);
  });

  it('may have an https proxy, through which all traffic of the phone goes', async () => {
    expect(await change('datacenter', 'gb')).to.deep.include({ state: 'done', result: { address: '127.0.4.1' } });
    const passed = tls.passed.length;
    expect(await fetchAddress()).to.equal('127.0.4.1');
    expect(await shell(`curl -s ${site.url}/page`)).to.contain('You come from 127.0.4.1');
    expect(tls.passed.slice(passed).map(({ user }) => user)).to.deep.equal(['u', 'u']);
    expect(await shell('getprop persist.sys.timezone')).to.equal('Europe/London\n');
    const refused = await world.api.post('/v1/devices/traveller/network/rotate');
    expect([refused.status, refused.body.message]).to.deep.equal([
      400,
      "The address of this device's exit (datacenter, gb) is fixed. Choose another exit: POST /v1/devices/{name}/network; GET /v1/network/options shows which rotate.",
    ]);
  });

  describe('when the file changes', () => {
    before(() => change('residential', 'de'));

    it('are used with the new password', async () => {
      password = 'another-S3cret';
      expect(await fetchAddress(), 'the proxy has a new password, the file the old one').to.contain('curl: (');
      write(JSON.stringify({ exits: exits() }));
      await until(async () => /^127\.0\.2\./.test(await fetchAddress()));
    });

    for (const [what, text, fault] of [
      ['is not JSON', '{"exits": [', 'it is not JSON'],
      ['has a fault', '{"exits": [{"name": "x"}]}', 'exits[0].country is not two lower-case letters'],
    ] as const) {
      it(`stay as they were when it ${what}, which is logged with the name of the file`, async () => {
        write(text);
        await until(() => logged(fault).length > 0);
        const [line = ''] = logged(fault);
        expect(line).to.contain('"level":50').and.contain(`EXITS_FILE ${path} cannot be used`);
        expect(line).to.contain('The last good version stays in use.');
        expect(await fetchAddress()).to.match(/^127\.0\.2\./);
        expect((await world.api.get('/v1/network/options')).body.options).to.have.length(4);
      });
    }

    it('carry nothing once they are listed no longer, and again when they are', async () => {
      const visits = site.visits.length;
      write(JSON.stringify({ exits: exits().filter(({ type }) => type !== 'residential') }));
      await until(async () => (await world.api.get('/v1/network/options')).body.options.length === 3);
      expect(await fetchAddress()).to.contain('curl: (');
      expect(site.visits).to.have.length(visits);
      const gone = await world.api.post('/v1/devices/traveller/network', { type: 'residential', country: 'de' });
      expect([gone.status, gone.body.message]).to.deep.equal([
        400,
        'type: "residential" is not on offer; on offer are mobile, datacenter, direct',
      ]);
      write(JSON.stringify({ exits: exits() }));
      await until(async () => /^127\.0\.2\./.test(await fetchAddress()));
    });
  });

  it('leave no trace of their credentials', async () => {
    const stored = JSON.stringify(
      await Promise.all(['devices', 'jobs'].map((name) => world.database.collection(name).find().toArray())),
    );
    const shown = JSON.stringify([await device(), (await world.api.get('/v1/jobs')).body]);
    for (const text of [stored, shown, lines.join('')]) expect(text).not.to.contain('S3cret');
  });

  describe('POST /v1/network/check', () => {
    const check = (proxy: string) => world.api.post('/v1/network/check', { proxy });

    it('returns the address that a working proxy of the caller shows', async () => {
      const own = await RealProxy.start({
        scheme: 'socks5',
        login: (user) => user === 'me',
        addressOf: () => '127.0.5.1',
      });
      proxies.push(own);
      const { status, body } = await check(own.url('me:pw@'));
      expect([status, body.ok, body.address]).to.deep.equal([200, true, '127.0.5.1']);
      expect(body.latency_ms).to.be.a('number');
      expect(own.passed.map(({ target }) => `http://${target}`)).to.deep.equal([site.url]);
      expect((await check(own.url('you:pw@'))).body).to.deep.equal({
        ok: false,
        reason: 'The proxy refused the user name or the password.',
      });
    });

    it('is for control keys', async () => {
      expect((await world.api.as('cp_wrong').post('/v1/network/check', { proxy: 'http://a:1' })).status).to.equal(401);
    });
  });
});
