import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { until } from '../../testing/until.js';
import type { StatusReport } from '../../status-service/report/report.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { ServiceProcess } from '../ops/service-process.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('the status page of a running service', function () {
  let directory: string;
  let installation: Installation | undefined;
  const services: ServiceProcess[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-status-'));
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await installation?.stop();
    installation = undefined;
    await removeData(directory);
  });

  async function installed(environment: Record<string, string> = {}): Promise<Installation> {
    const folder = { directory: join(directory, 'service'), start };
    installation = await startInstallation({ ...folder, environment: { SIMULATED_BOOT_MS: '50', ...environment } });
    return installation;
  }

  /** A status service of its own process, with its own history. */
  function alone(environment: Record<string, string>): ServiceProcess {
    const token = installation?.meshToken;
    const own = {
      STATUS_PORT: '0',
      DATA_DIR: join(directory, 'status'),
      ...(token && { MESH_TOKEN: token }),
      ...environment,
    };
    const service = new ServiceProcess('status-service', own);
    services.push(service);
    return service;
  }

  async function reportAt(base: string): Promise<StatusReport> {
    return (await (await fetch(`${base}/status.json`)).json()) as StatusReport;
  }

  /** The state of each component, once they were checked. */
  async function checked(base: string): Promise<Record<string, string>> {
    await until(async () => (await reportAt(base)).checked_at !== null);
    const { components } = await reportAt(base);
    return Object.fromEntries(components.map(({ id, status }) => [id, status]));
  }

  it('is at a port of its own, which is printed, and at the edge', async () => {
    const { baseUrl, printed } = await installed();
    const [, page = ''] = /Status page +(\S+)/.exec(printed()) ?? [];
    const edge = baseUrl.replace(/\/v1$/, '');
    for (const base of [page.replace(/\/status$/, ''), edge]) {
      const response = await fetch(`${base}/status`);
      expect(response.status, base).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).to.equal('public, max-age=60');
      expect(response.headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(await response.text()).to.contain('Status of cloud phones');
    }
    const { headers } = await fetch(`${edge}/status.json`);
    const known = await fetch(`${edge}/status.json`, { headers: { 'if-none-match': headers.get('etag')! } });
    expect(known.status).to.equal(304);
    expect((await fetch(`${edge}/status`, { method: 'POST' })).status).to.equal(405);
    expect(await checked(edge)).to.include({ api: 'ok', adb: 'ok' });
  });

  it('keeps its history, and shows no failure of an ordinary restart', async () => {
    const first = await installed();
    const [, before = ''] = /Status page +(\S+)\/status/.exec(first.printed()) ?? [];
    await checked(before);
    const days = (report: StatusReport) => report.components[0]!.days.at(-1);
    const counted = days(await reportAt(before));
    await first.stop();
    const second = await installed();
    const [, after = ''] = /Status page +(\S+)\/status/.exec(second.printed()) ?? [];
    expect(days(await reportAt(after))).to.deep.equal(counted);
    expect(counted).to.include({ checks: 1, failed: 0 });
  });

  it('greets the relay of a phone through its public port', async () => {
    const { baseUrl, key, grpc } = await installed();
    const api = new RestClient(baseUrl.replace(/\/v1$/, ''), key);
    await api.createPhone({ name: 'bench' });
    // An address that is not ours: the relay resets our connection, which shows that it is there.
    await api.post('/v1/devices/bench/adb', { allow: ['203.0.113.7'] });
    const service = alone({
      STATUS_API_URL: baseUrl.replace(/\/v1$/, ''),
      RELAY_SERVICE_URL: `http://${grpc.relay}`,
    });
    expect(await checked(`http://127.0.0.1:${await service.port()}`)).to.include({ api: 'ok', adb: 'ok' });
  });

  it('responds while everything else is down, and reports it without addresses', async () => {
    const [api, relay] = [await freePort(), await freePort()];
    const service = alone({
      STATUS_API_URL: `http://127.0.0.1:${api}`,
      RELAY_SERVICE_URL: `http://127.0.0.1:${relay}`,
    });
    const base = `http://127.0.0.1:${await service.port()}`;
    expect(await checked(base)).to.deep.equal({ api: 'problem', live: 'problem', adb: 'problem' });
    const { incidents } = await reportAt(base);
    expect(incidents.map(({ component, what }) => [component, what])).to.have.deep.members([
      ['api', 'could not be reached'],
      ['live', 'could not be reached'],
      ['adb', 'does not respond'],
    ]);
    for (const path of ['/status', '/status.json']) {
      const text = await (await fetch(base + path)).text();
      expect(text).not.to.contain('127.0.0.1').and.not.to.contain(String(api)).and.not.to.contain('ECONN');
    }
    expect(await service.ready()).to.include({ status: 200 });
  });

  it('shows ADB as not checked where no way to the relay service is set', async () => {
    const service = alone({ STATUS_API_URL: `http://127.0.0.1:${await freePort()}` });
    expect(await checked(`http://127.0.0.1:${await service.port()}`)).to.include({ adb: 'not_checked' });
  });

  it('is 503 at an edge whose status service is away, and 404 at one that has none', async () => {
    const edgeOf = async (environment: Record<string, string>): Promise<string> => {
      const gateway = new ServiceProcess('gateway', { PORT: '0', DATA_DIR: join(directory, 'edge'), ...environment });
      services.push(gateway);
      return `http://127.0.0.1:${await gateway.port()}`;
    };
    const away = await fetch(`${await edgeOf({ STATUS_SERVICE_URL: `http://127.0.0.1:${await freePort()}` })}/status`);
    expect(away.status).to.equal(503);
    expect(await away.json()).to.have.property('error', 'unavailable');
    expect((await fetch(`${await edgeOf({})}/status`)).status).to.equal(404);
  });

  it('names every setting that cannot be used, before anything starts', async () => {
    const service = alone({ STATUS_PORT: '99999', STATUS_API_URL: 'phones.example.com', RELAY_SERVICE_URL: 'x' });
    expect(await service.exited()).to.equal(1);
    for (const name of ['STATUS_PORT', 'STATUS_API_URL', 'RELAY_SERVICE_URL']) expect(service.said).to.contain(name);
  });
});
