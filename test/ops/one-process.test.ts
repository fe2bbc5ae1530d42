import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { systemClock } from '../../kit/async/clock.js';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { Exposition } from './exposition.js';
import { metricNames } from './metric-names.js';

const MONITORING = new URL('../../../deploy/helm/cloudphone/files/', import.meta.url);
/** Metrics of Prometheus itself and of Node, which the page names by their beginnings alone. */
const NOT_OURS = /^(up$|nodejs_)/;
const start = fileURLToPath(new URL('../../start.js', import.meta.url));

interface Rule {
  alert: string;
  expr: string;
  labels?: { severity?: string };
  annotations?: { summary?: string };
}

describe('the ops port of all services in one process', function () {
  let directory: string;
  let running: Installation;
  let api: RestClient;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-ops-'));
    running = await startInstallation({
      directory: join(directory, 'first'),
      start,
      environment: { SIMULATED_BOOT_MS: '50' },
    });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  });

  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  async function ask(path: string, url = running.opsUrl): Promise<{ status: number; body: string }> {
    // It uses a connection of its own. A kept one may be closed, as it was idle, at the moment in which a busy machine sends on it.
    const response = await fetch(url + path, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.text() };
  }

  async function scrape(): Promise<Exposition> {
    return new Exposition((await ask('/metrics')).body);
  }

  it('is printed for people and for scripts, and responds', async () => {
    expect(running.printed()).to.contain(`${running.opsUrl}/metrics`);
    expect(await ask('/livez')).to.deep.equal({ status: 200, body: 'ok\n' });
    expect(await ask('/readyz')).to.deep.equal({
      status: 200,
      body: '{"ready":true,"state":"started","checks":{"database":"ok","data_folder":"ok"}}\n',
    });
  });

  it('serves every metric that the dashboard and the alert rules name', async () => {
    const read = (name: string): string => readFileSync(new URL(name, MONITORING), 'utf8');
    const { panels } = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
    const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] };
    for (const { alert, labels, annotations } of groups.flatMap(({ rules }) => rules)) {
      expect(alert).to.match(/^Cloudphone[A-Z]/);
      expect(labels?.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations?.summary, alert).to.be.a('string').that.is.not.empty;
    }
    const expressions = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ];
    const named = new Set(expressions.flatMap(metricNames));
    const { types } = await scrape();
    // Prometheus itself has this one, of each target.
    named.delete('up');
    const served = (name: string): boolean =>
      types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
    expect(named.size).to.be.greaterThan(20);
    expect([...named].filter((name) => name !== 'up' && !served(name))).to.deep.equal([]);
    expect(metricNames('sum by (le) (rate(no_such_total{a="b"}[5m])) > 1')).to.deep.equal(['no_such_total']);
  });

  it('has a row in the docs for every alert rule, and for every metric of the rules', () => {
    const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const { groups } = parse(readFileSync(new URL('alerts.yaml', MONITORING), 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    const rows = [...page.matchAll(/^\| `(Cloudphone\w+)` \|/gm)].map(([, alert]) => alert);
    expect(rows).to.deep.equal(rules.map(({ alert }) => alert));
    const metrics = rules.flatMap(({ expr }) => metricNames(expr)).filter((name) => !NOT_OURS.test(name));
    expect(metrics.filter((name) => !page.includes(`\`${name.replace(/_(bucket|count)$/, '')}\``))).to.deep.equal([]);
    expect(page).not.to.match(/^ *- alert:/m);
  });

  it('serves the metrics of every service, each once', async () => {
    await api.createPhone({ name: 'counted' });
    expect((await api.get('/v1/devices/counted/screenshot')).status).to.equal(200);
    await api.post('/v1/devices/counted/adb', { allow: ['127.0.0.1'] });
    await api.get('/v1/webhooks/deliveries');
    const all = await scrape();
    expect(all.sum('http_request_duration_seconds_count', { route: '/v1/devices', status: '202' })).to.equal(1);
    expect(all.sum('devices', { state: 'running' })).to.equal(1);
    expect(all.sum('job_duration_seconds_count', { kind: 'create', outcome: 'done' })).to.equal(1);
    expect(all.sum('screen_capture_duration_seconds_count', { outcome: 'ok' })).to.equal(1);
    expect(all.sum('relay_enabled')).to.equal(1);
    expect(all.sum('webhook_queue_depth')).to.equal(0);
    expect(all.sum('verified_backup_age_seconds')).to.equal(Infinity);
    for (const method of [
      'cloudphone.device.v1.DeviceService/CreateDevice',
      'cloudphone.screen.v1.ScreenService/GetScreenshot',
      'cloudphone.relay.v1.RelayService/EnableAdb',
      'cloudphone.webhook.v1.WebhookService/ListDeliveries',
    ]) {
      expect(all.sum('rpc_duration_seconds_count', { method, code: 'ok' }), method).to.equal(1);
    }
    expect(all.all('process_resident_memory_bytes')).to.have.length(1);
    // While it is on, the relay makes a call every two seconds, which would make a line in the next test.
    await api.delete('/v1/devices/counted/adb');
  });

  it('grows by no line when more devices, keys and addresses come', async () => {
    const create = (name: string): Promise<string> => api.createPhone({ name, start: false });
    for (const name of ['one', 'two']) await create(name).then(() => api.get(`/v1/devices/${name}`));
    const ours = ({ samples }: Exposition): string[] =>
      samples
        // A periodic task has its lines from its first run on, which may come at any time. There are only so many tasks.
        .filter(({ name }) => !/^(process|nodejs|periodic_task)_/.test(name))
        .map(({ name, labels }) => name + JSON.stringify(labels));
    const before = ours(await scrape());
    for (const name of ['three', 'four', 'five']) await create(name).then(() => api.get(`/v1/devices/${name}`));
    expect(ours(await scrape())).to.have.members(before);
  });

  it('responds to several that scrape at the same time under load, and none of them differs from the form', async () => {
    const load = Array.from({ length: 40 }, (_, at) => api.as(`cp_wrong_${at}`).get('/v1/devices'));
    const scrapes = await Promise.all(Array.from({ length: 24 }, () => scrape()));
    expect(new Set((await Promise.all(load)).map(({ status }) => status))).to.deep.equal(new Set([401]));
    for (const { samples } of scrapes) expect(samples.length).to.be.above(100);
    const name = 'http_request_duration_seconds_count';
    expect((await scrape()).sum(name, { route: '/v1/devices', status: '401' })).to.equal(40);
  });

  it('is picked free for a second installation, which runs beside the first', async () => {
    const second = await startInstallation({ directory: join(directory, 'second'), start });
    expect(second.opsUrl).not.to.equal(running.opsUrl);
    expect((await ask('/readyz', second.opsUrl)).status).to.equal(200);
    expect(await second.stop()).to.equal(0);
    expect((await ask('/readyz')).status).to.equal(200);
  });

  it('that is taken is reported in one line, unless the data folder is', async () => {
    const environment = { OPS_PORT: new URL(running.opsUrl).port };
    const complaintOf = (folder: string): Promise<string> =>
      startInstallation({ directory: join(directory, folder), start, environment }).then(
        () => 'it started',
        (error: unknown) => String(error),
      );
    expect(await complaintOf('third')).to.equal(
      `Error: it ended with status 1: Port ${environment.OPS_PORT} on 127.0.0.1, wanted for metrics and probes (OPS_PORT), is taken by another program.\nTo check this machine: npm run --silent admin -- doctor\n`,
    );
    expect(await complaintOf('first'))
      .to.contain(String(running.pid))
      .and.not.to.contain('OPS_PORT');
  });

  it('is not ready from the SIGTERM on, while a request is still served', async () => {
    const { port } = new URL(running.baseUrl);
    const body =
      '{"name": "late", "model": "phone-720p", "network": {"type": "direct", "country": "us"}, "plan": "minute", "start": false}';
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /v1/devices HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${running.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data'); // 100 Continue: it has been let in
    const stopped = running.stop();
    while ((await ask('/readyz')).status === 200) await systemClock.sleep(5);
    expect(await ask('/readyz')).to.deep.equal({
      status: 503,
      body: '{"ready":false,"state":"stopping","checks":{}}\n',
    });
    expect((await ask('/livez')).status).to.equal(200);
    socket.write(body);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).to.match(/^HTTP\/1.1 202 /);
    expect(await stopped).to.equal(0);
  });
});
