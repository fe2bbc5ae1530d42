import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect } from 'chai';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { cookieOf, PanelClient } from '../access/people.js';
import { LiveClient } from '../live/live-client.js';
import { RawAdb } from '../relay/raw-adb.js';
import { type Answer, RestClient } from '../rest-client.js';
import { Receiver } from '../webhooks/receiver.js';
import { type SeparateServices, startSeparateServices } from './separate-services.js';
import type { ServiceProcess } from './service-process.js';
import { until } from '../../testing/until.js';

const documentation = new URL('../../../docs/operating.md', import.meta.url);

const EMAIL = 'somebody@example.com';
const PASSWORD = 'correct horse battery';
const DEVICE = 'a-phone-with-a-name';

/** How long a service goes on after a SIGTERM, ms: long enough to be looked at. */
const STOP_DELAY_MS = 1_500;

describe('services that were started alone', function () {
  this.timeout(60_000);
  let services: SeparateServices;
  let all: ServiceProcess[];
  let receiver: Receiver;
  let key: string;
  let panel: PanelClient;
  let api: RestClient;
  /** Requests that this test has made to the edge, by status. */
  const asked = new Map<number, number>();

  before(async () => {
    receiver = await new Receiver().listen();
    services = await startSeparateServices({ STOP_DELAY_MS: String(STOP_DELAY_MS) });
    ({ all } = services);
    const { edgeUrl } = services;
    const nobody = counted(new RestClient(edgeUrl, undefined));
    await nobody.ask('POST', '/v1/account', { email: EMAIL, password: PASSWORD });
    const session = await nobody.ask('POST', '/v1/session', { email: EMAIL, password: PASSWORD });
    panel = counted(new PanelClient(edgeUrl, cookieOf(session)));
    const body = { name: 'hooked', scope: 'control', devices: ['*'], webhook_url: receiver.url() };
    key = (await panel.ask('POST', '/v1/keys', body)).body.key.key as string;
    api = counted(new RestClient(edgeUrl, key));
  });

  after(async () => {
    await services.close();
    await receiver.close();
  });

  /** The same client, which counts the responses. */
  function counted<C extends { ask: (...args: never[]) => Promise<Answer> }>(client: C): C {
    const ask = client.ask.bind(client) as (...args: unknown[]) => Promise<Answer>;
    return Object.assign(client, {
      ask: async (...args: unknown[]) => {
        const response = await ask(...args);
        count(response);
        return response;
      },
    });
  }

  async function health(): Promise<Status> {
    const client = createClient(Health, createGrpcTransport({ baseUrl: services.deviceUrl }));
    return (await client.check({})).status;
  }

  it('report that they live and are ready, with the parts that they need', async () => {
    const checks = {
      gateway: { device_service: 'ok' },
      'device-service': { database: 'ok' },
      'screen-service': { device_service: 'ok' },
      'relay-service': { database: 'ok', device_service: 'ok' },
      'webhook-service': { database: 'ok', device_service: 'ok' },
      'status-service': {},
    };
    for (const service of all) {
      expect(await service.ask('/livez')).to.deep.equal({ status: 200, body: 'ok\n' });
      expect(await service.ready()).to.deep.equal({
        status: 200,
        ready: true,
        state: 'started',
        checks: checks[service.name],
      });
    }
  });

  it('serve their metrics, the process and the event loop among them, under names that say whose they are', async () => {
    for (const service of all) {
      const { types } = await service.scrape();
      for (const name of [
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'nodejs_eventloop_lag_p99_seconds',
      ]) {
        expect(types.has(name), `${service.name} has ${name}`).to.equal(true);
      }
      const own = [...types.keys()].filter((name) => !/^(process|nodejs|service)_/.test(name));
      const prefixes = {
        gateway: /^http_/,
        'device-service': /^(rpc_|device|job|measurements_)/,
        'screen-service': /^(rpc_|screen_)/,
        'relay-service': /^(rpc_|relay_)/,
        'webhook-service': /^(rpc_|webhook_|measurements_)/,
        'status-service': /^status_/,
      };
      for (const name of own) expect(name).to.match(prefixes[service.name]);
    }
  });

  it('serve the metrics that the documentation lists, and no others', async () => {
    const text = readFileSync(documentation, 'utf8');
    const rows = [...text.matchAll(/^\| (`[^|]*) \| (gauge|counter|histogram|gauge, measured|gauge, counter) \|/gm)];
    const documented = rows.flatMap(([, names = '', types = '']) =>
      names
        .split(', ')
        .map((name, at) => `${name.slice(1, -1)} ${types.replace(', measured', '').split(', ')[at] ?? ''}`),
    );
    const scrapes = await Promise.all(all.map((service) => service.scrape()));
    const responded = scrapes.flatMap(({ types }) => [...types].map(([name, type]) => `${name} ${type}`));
    expect(documented).to.have.members([...new Set(responded.filter((name) => !/^(process|nodejs)_/.test(name)))]);
  });

  it('count requests at the edge by route, method and status, with made-up ones of clients too', async () => {
    await api.get(`/v1/devices/no-such-device`);
    await api.as('cp_wrong').get('/v1/models').then(count);
    for (const path of ['/v1/nowhere/1', '/v1/nowhere/2', '/%2e%2e/etc/passwd', '/v1/devices/a/b/c/d'])
      await api.get(path);
    for (const method of ['PUT', 'PATCH', 'PROPFIND']) await api.ask(method, '/v1/devices');
    await api.get('/v1/models?x=1').then(() => api.get('/v1/models'));
    const scrape = await services.gateway.scrape();
    const name = 'http_request_duration_seconds_count';
    expect(scrape.sum(name, { method: 'GET', route: '/v1/models', status: '200' })).to.equal(1);
    expect(scrape.sum(name, { method: 'GET', route: '/v1/devices/{name}', status: '404' })).to.equal(1);
    expect(scrape.sum(name, { method: 'GET', route: '/v1/models', status: '401' })).to.equal(1);
    expect(scrape.sum(name, { method: 'POST', route: '/v1/keys', status: '201' })).to.equal(1);
    expect(scrape.sum(name, { method: 'other', route: 'none', status: '404' })).to.equal(4);
    expect(scrape.sum(name, { method: 'other', route: 'none', status: '405' })).to.equal(3);
    for (const [status, count] of asked) expect(scrape.sum(name, { status: String(status) })).to.equal(count);
  });

  it('count devices by state, jobs by kind and outcome, and rpcs', async () => {
    await api.createPhone({ name: DEVICE });
    await api.createPhone({ name: 'another', start: false });
    await api.done(await api.delete('/v1/devices/another'));
    await api.createPhone({ name: 'another', start: false });
    await until(async () => (await services.device.scrape()).sum('jobs_running') === 0);
    const scrape = await services.device.scrape();
    expect(scrape.sum('devices', { state: 'running' })).to.equal(1);
    expect(scrape.sum('devices', { state: 'stopped' })).to.equal(1);
    expect(scrape.sum('devices')).to.equal(2);
    const name = 'job_duration_seconds_count';
    expect(scrape.sum(name, { kind: 'create', outcome: 'done' })).to.equal(3);
    expect(scrape.sum(name, { kind: 'delete', outcome: 'done' })).to.equal(1);
    expect(scrape.sum(name)).to.equal(4);
    const rpc = { method: 'cloudphone.device.v1.DeviceService/CreateDevice', code: 'ok' };
    expect(scrape.sum('rpc_duration_seconds_count', rpc)).to.equal(3);
    const missed = { method: 'cloudphone.device.v1.DeviceService/GetDevice', code: 'not_found' };
    expect(scrape.sum('rpc_duration_seconds_count', missed)).to.equal(1);
  });

  it('count captures, trees and encodings', async () => {
    for (const query of ['screenshot', 'screenshot?format=jpeg', 'observe?screenshot=png']) {
      expect((await api.get(`/v1/devices/${DEVICE}/${query}`)).status).to.equal(200);
    }
    const scrape = await services.screen.scrape();
    expect(scrape.sum('screen_phone_sessions')).to.equal(1);
    expect(scrape.sum('screen_capture_duration_seconds_count', { outcome: 'ok' })).to.be.at.least(3);
    expect(scrape.sum('screen_tree_duration_seconds_count', { outcome: 'ok' })).to.be.at.least(1);
    expect(scrape.sum('screen_encode_duration_seconds_count', { format: 'png', outcome: 'ok' })).to.be.at.least(1);
    expect(scrape.sum('screen_encode_duration_seconds_count', { format: 'jpeg', outcome: 'ok' })).to.equal(1);
  });

  it('show a screen live, take input, and count viewers and frames', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const viewer = await LiveClient.open(services.edgeUrl, DEVICE, headers, '?max_size=300');
    try {
      expect((await viewer.text('hello')).screen).to.deep.equal({ width: 720, height: 1280, rotation: 0 });
      await viewer.frame(1);
      expect((await services.gateway.scrape()).sum('http_open_sockets')).to.equal(1);
      expect((await services.screen.scrape()).sum('screen_viewers')).to.equal(1);
      const { body } = await api.post(`/v1/devices/${DEVICE}/action`, { find_text: { text: 'Settings' } });
      const { x, y } = body.matches[0].center;
      const seen = viewer.frames.length;
      viewer.tap(x, y);
      await viewer.until(() => viewer.frames[seen], 'frame after a tap');
      viewer.send({ events: [{ key: { name: 'nokey' } }] });
      expect(await viewer.text('error')).to.include({ error: 'bad_request' });
      viewer.send({ events: [{ key: { name: 'home' } }] });
    } finally {
      viewer.ws.close();
      await viewer.end();
    }
    const { edgeUrl } = services;
    const refused = await LiveClient.open(edgeUrl, 'nothing', headers).catch((error: unknown) => error);
    expect(refused).to.include({ status: 404 });
    await until(async () => (await services.screen.scrape()).sum('screen_viewers') === 0);
    expect((await services.screen.scrape()).sum('screen_live_frames_total')).to.be.at.least(2);
    expect((await services.gateway.scrape()).sum('http_open_sockets')).to.equal(0);
  });

  it('count relay sessions, their bytes while they last, and refusals by rule', async () => {
    const { body } = await api.post(`/v1/devices/${DEVICE}/adb`, { allow: ['127.0.0.1'] });
    const adb = await RawAdb.loggedIn(body.adb as { port: number; code: string });
    await adb.shell('head -c 100000 /dev/zero');
    await adb.open('reboot:');
    const during = await services.relay.scrape();
    expect(during.sum('relay_enabled')).to.equal(1);
    expect(during.sum('relay_sessions')).to.equal(1);
    expect(during.sum('relay_sessions_total')).to.equal(1);
    expect(during.sum('relay_bytes_total', { to: 'client' }))
      .to.be.at.least(100_000)
      .and.below(200_000);
    expect(during.sum('relay_bytes_total', { to: 'phone' }))
      .to.be.at.least(100)
      .and.below(100_000);
    expect(during.sum('relay_refusals_total', { rule: 'reboot' })).to.equal(1);
    adb.end();
    await until(async () => (await services.relay.scrape()).sum('relay_sessions') === 0);
    const after = await services.relay.scrape();
    expect(after.sum('relay_sessions_total')).to.equal(1);
    expect(after.sum('relay_bytes_total', { to: 'client' }))
      .to.be.at.least(100_000)
      .and.below(200_000);
  });

  it('count deliveries of webhooks by outcome', async () => {
    await until(async () => receiver.received.length >= 4);
    await until(async () => (await services.webhook.scrape()).sum('webhook_queue_depth') === 0);
    const scrape = await services.webhook.scrape();
    expect(scrape.sum('webhook_attempts_total', { outcome: 'delivered' })).to.equal(4);
    expect(scrape.sum('webhook_attempts_total')).to.equal(4);
    expect(scrape.sum('webhook_attempt_duration_seconds_count')).to.equal(4);
    expect(scrape.sum('webhook_first_attempt_delay_seconds_count')).to.equal(4);
    expect(scrape.sum('webhook_oldest_due_age_seconds')).to.equal(0);
    expect(scrape.sum('webhook_attempts_running')).to.equal(0);
    await until(async () => (await services.device.scrape()).sum('job_events_pending') === 0);
  });

  it('contain no name, address, key or account', async () => {
    for (const service of all) {
      const text = (await service.ask('/metrics')).body + (await service.ask('/readyz')).body;
      for (const secret of [
        DEVICE,
        'another',
        key,
        key.slice(3),
        EMAIL,
        PASSWORD,
        panel.cookie,
        '127.0.0.1',
        'no-such-device',
        'nowhere',
        'cp_',
      ]) {
        expect(text).not.to.contain(secret);
      }
      expect(text).not.to.match(/\b(?:ph|acc|key|job|req|dev|ses)_[a-z0-9]{20,}/);
    }
  });

  it('respond to several that scrape at once, under load', async () => {
    const load = Array.from({ length: 20 }, () => panel.ask('GET', '/v1/devices'));
    const scrapes = all.flatMap((service) => Array.from({ length: 8 }, () => service.scrape()));
    for (const scrape of await Promise.all(scrapes)) expect(scrape.samples.length).to.be.above(50);
    for (const response of await Promise.all(load)) expect(response.status).to.equal(200);
  });

  it('are not ready while the database is gone, and live and are scraped all the same; then they are ready again', async () => {
    await services.stopDatabase();
    expect((await services.device.readyWhen(503)).checks).to.deep.equal({ database: 'failing' });
    expect((await services.relay.readyWhen(503)).checks).to.have.property('database', 'failing');
    expect((await services.webhook.readyWhen(503)).checks).to.have.property('database', 'failing');
    expect((await services.gateway.readyWhen(503)).checks).to.deep.equal({ device_service: 'failing' });
    expect((await services.screen.readyWhen(503)).checks).to.deep.equal({ device_service: 'failing' });
    expect(await health()).to.equal(Status.NOT_SERVING);
    for (const service of all) {
      expect((await service.ask('/livez')).status).to.equal(200);
      const beganMs = performance.now();
      // The status page is for such a time.
      const isReady = service === services.status;
      expect((await service.ready()).status).to.equal(isReady ? 200 : 503);
      expect((await service.scrape()).sum('service_ready')).to.equal(isReady ? 1 : 0);
      expect(performance.now() - beganMs).to.be.below(3_000);
    }
    const scrape = await services.device.scrape();
    expect(scrape.sum('devices')).to.equal(undefined);
    expect((await services.device.scrape()).sum('measurements_failed_total', { measurement: 'devices' })).to.be.above(
      0,
    );
    expect((await services.webhook.scrape()).sum('webhook_queue_depth')).to.equal(undefined);
    await services.startDatabase();
    for (const service of all) expect((await service.readyWhen(200)).state).to.equal('started');
    for (const service of all) await until(async () => (await service.scrape()).sum('service_ready') === 1);
    expect(await health()).to.equal(Status.SERVING);
    expect((await services.device.scrape()).sum('devices')).to.equal(2);
    expect((await panel.ask('GET', '/v1/devices')).status).to.equal(200);
  });

  it('turn not ready at a SIGTERM, serve on until their probes have noticed, and end with status 0', async () => {
    const ports = new Map<ServiceProcess, number>();
    for (const service of all) ports.set(service, await service.port());
    for (const service of all) service.signal('SIGTERM');
    await Promise.all(
      all.map(async (service) => {
        await until(async () => (await service.ready()).state === 'stopping');
        expect(await service.ready()).to.deep.equal({ status: 503, ready: false, state: 'stopping', checks: {} });
        expect((await service.ask('/livez')).status).to.equal(200);
        await accepts(ports.get(service)!);
      }),
    );
    expect(await health()).to.equal(Status.NOT_SERVING);
    expect((await panel.ask('GET', '/v1/devices')).status).to.equal(200);
    for (const service of all) expect(await service.exited(), service.said).to.equal(0);
  });

  function count(response: Answer): void {
    asked.set(response.status, (asked.get(response.status) ?? 0) + 1);
  }
});

/** Rejects when nobody listens. */
function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
