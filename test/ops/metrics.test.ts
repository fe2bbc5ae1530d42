import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { PanelClient } from '../access/people.js';
import { LiveClient } from '../live/live-client.js';
import { RawAdb } from '../relay/raw-adb.js';
import type { RestClient } from '../rest-client.js';
import { Receiver } from '../webhooks/receiver.js';
import { until } from '../../testing/until.js';
import type { Exposition } from './exposition.js';
import { EMAIL, PASSWORD, signUp } from './people-of.js';
import { type SeparateServices, startSeparateServices } from './separate-services.js';
import type { ServiceProcess } from './service-process.js';

const documentation = new URL('../../../docs/operating.md', import.meta.url);

const DEVICE = 'a-phone-with-a-name';

/** Each test compares two scrapes, so that it needs nothing of the others. */
describe('metrics of services that were started alone', function () {
  let services: SeparateServices;
  let all: ServiceProcess[];
  let receiver: Receiver;
  let key: string;
  let panel: PanelClient;
  let api: RestClient;

  before(async () => {
    receiver = await new Receiver().listen();
    services = await startSeparateServices({});
    ({ all } = services);
    ({ panel, api, key } = await signUp(services.edgeUrl, { webhook_url: receiver.url() }));
    await api.createPhone({ name: DEVICE });
  });

  after(async () => {
    await services.close();
    await receiver.close();
  });

  /** Returns how much each of the service's figures grows while `work` is done, by name and labels. */
  async function growthIn(service: ServiceProcess, work: () => Promise<unknown>) {
    const before = await service.scrape();
    await work();
    const after = await service.scrape();
    return (name: string, labels?: Record<string, string>): number => difference(before, after, name, labels);
  }

  it('have names that say whose they are, the process and the event loop among them', async () => {
    for (const service of all) {
      const { types } = await service.scrape();
      for (const name of [
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'nodejs_eventloop_lag_p99_seconds',
        'unhandled_rejections_total',
        'log_lines_dropped_total',
      ]) {
        expect(types.has(name), `${service.name} has ${name}`).to.equal(true);
      }
      const own = [...types.keys()].filter(
        (name) => !/^(process|nodejs|service|unhandled|log|certificate)_/.test(name),
      );
      const prefixes = {
        gateway: /^http_/,
        'device-service':
          /^(rpc_|device|job|measurements_|periodic_task_|host_|engine_|models?_|recordings?_|snapshots_|verified_backup_|mails?_)/,
        'screen-service': /^(rpc_|screen_)/,
        'relay-service': /^(rpc_|relay_)/,
        'webhook-service': /^(rpc_|webhook_|measurements_)/,
        'status-service': /^status_/,
      };
      for (const name of own) expect(name).to.match(prefixes[service.name]);
    }
  });

  it('are those that the documentation lists, and no others', async () => {
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
    const grown = await growthIn(services.gateway, async () => {
      await api.get(`/v1/devices/no-such-device`);
      await api.as('cp_wrong').get('/v1/models');
      for (const path of ['/v1/nowhere/1', '/v1/nowhere/2', '/%2e%2e/etc/passwd', '/v1/devices/a/b/c/d'])
        await api.get(path);
      for (const method of ['PUT', 'PATCH', 'PROPFIND']) await api.ask(method, '/v1/devices');
      await api.get('/v1/models?x=1').then(() => api.get('/v1/models'));
    });
    const name = 'http_request_duration_seconds_count';
    expect(grown(name, { method: 'GET', route: '/v1/models', status: '200' })).to.equal(1);
    expect(grown(name, { method: 'GET', route: '/v1/models', status: '400' })).to.equal(1);
    expect(grown(name, { method: 'GET', route: '/v1/models', status: '401' })).to.equal(1);
    expect(grown(name, { method: 'GET', route: '/v1/devices/{name}', status: '404' })).to.equal(1);
    expect(grown(name, { method: 'other', route: 'none', status: '404' })).to.equal(4);
    expect(grown(name, { method: 'other', route: 'none', status: '405' })).to.equal(3);
    expect(grown(name)).to.equal(11);
  });

  it('count devices by state, jobs by kind and outcome, and rpcs', async () => {
    const grown = await growthIn(services.device, async () => {
      await api.createPhone({ name: 'another', start: false });
      await api.done(await api.delete('/v1/devices/another'));
      await api.createPhone({ name: 'another', start: false });
      await api.get('/v1/devices/no-such-device');
      await until(async () => (await services.device.scrape()).sum('jobs_running') === 0);
    });
    expect(grown('devices', { state: 'stopped' })).to.equal(1);
    expect(grown('devices')).to.equal(1);
    const name = 'job_duration_seconds_count';
    expect(grown(name, { kind: 'create', outcome: 'done' })).to.equal(2);
    expect(grown(name, { kind: 'delete', outcome: 'done' })).to.equal(1);
    expect(grown(name)).to.equal(3);
    const rpc = 'rpc_duration_seconds_count';
    expect(grown(rpc, { method: 'cloudphone.device.v1.DeviceService/CreateDevice', code: 'ok' })).to.equal(2);
    expect(grown(rpc, { method: 'cloudphone.device.v1.DeviceService/GetDevice', code: 'not_found' })).to.equal(1);
    expect((await services.device.scrape()).sum('devices', { state: 'running' })).to.equal(1);
  });

  it('count captures, trees and encodings', async () => {
    const grown = await growthIn(services.screen, async () => {
      for (const query of ['screenshot', 'screenshot?format=jpeg', 'observe?screenshot=png']) {
        expect((await api.get(`/v1/devices/${DEVICE}/${query}`)).status).to.equal(200);
      }
    });
    expect((await services.screen.scrape()).sum('screen_phone_sessions')).to.equal(1);
    expect(grown('screen_capture_duration_seconds_count', { outcome: 'ok' })).to.be.at.least(3);
    expect(grown('screen_tree_duration_seconds_count', { outcome: 'ok' })).to.be.at.least(1);
    expect(grown('screen_encode_duration_seconds_count', { format: 'png', outcome: 'ok' })).to.be.at.least(1);
    expect(grown('screen_encode_duration_seconds_count', { format: 'jpeg', outcome: 'ok' })).to.equal(1);
  });

  it('count viewers and frames of a live screen that takes input', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const grown = await growthIn(services.screen, async () => {
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
      const refused = await LiveClient.open(services.edgeUrl, 'nothing', headers).catch((error: unknown) => error);
      expect(refused).to.include({ status: 404 });
      await until(async () => (await services.screen.scrape()).sum('screen_viewers') === 0);
    });
    expect(grown('screen_live_frames_total')).to.be.at.least(2);
    expect((await services.gateway.scrape()).sum('http_open_sockets')).to.equal(0);
  });

  it('count relay sessions, their bytes while they last, and refusals by rule', async () => {
    const before = await services.relay.scrape();
    const { body } = await api.post(`/v1/devices/${DEVICE}/adb`, { allow: ['127.0.0.1'] });
    const adb = await RawAdb.loggedIn(body.adb as { port: number; code: string });
    await adb.shell('head -c 100000 /dev/zero');
    await adb.open('reboot:');
    const during = await services.relay.scrape();
    expect(during.sum('relay_enabled')).to.equal(1);
    expect(during.sum('relay_sessions')).to.equal(1);
    expect(difference(before, during, 'relay_sessions_total')).to.equal(1);
    const toClient = difference(before, during, 'relay_bytes_total', { to: 'client' });
    expect(toClient).to.be.at.least(100_000).and.below(200_000);
    expect(difference(before, during, 'relay_bytes_total', { to: 'phone' }))
      .to.be.at.least(100)
      .and.below(100_000);
    expect(difference(before, during, 'relay_refusals_total', { rule: 'reboot' })).to.equal(1);
    adb.end();
    await until(async () => (await services.relay.scrape()).sum('relay_sessions') === 0);
    const after = await services.relay.scrape();
    expect(difference(before, after, 'relay_sessions_total')).to.equal(1);
    expect(difference(before, after, 'relay_bytes_total', { to: 'client' }))
      .to.be.at.least(toClient)
      .and.below(200_000);
  });

  it('count deliveries of webhooks by outcome', async () => {
    const isIdle = async (): Promise<boolean> =>
      (await services.device.scrape()).sum('job_events_pending') === 0 &&
      (await services.webhook.scrape()).sum('webhook_queue_depth') === 0;
    await until(isIdle);
    const grown = await growthIn(services.webhook, async () => {
      const had = receiver.received.length;
      await api.createPhone({ name: 'hooked', start: false });
      await until(() => receiver.received.length === had + 1);
      await until(isIdle);
    });
    expect(grown('webhook_attempts_total', { outcome: 'delivered' })).to.equal(1);
    expect(grown('webhook_attempts_total')).to.equal(1);
    expect(grown('webhook_attempt_duration_seconds_count')).to.equal(1);
    expect(grown('webhook_first_attempt_delay_seconds_count')).to.equal(1);
    const scrape = await services.webhook.scrape();
    expect(scrape.sum('webhook_oldest_due_age_seconds')).to.equal(0);
    expect(scrape.sum('webhook_attempts_running')).to.equal(0);
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

  it('come to several that scrape at the same time, under load', async () => {
    const load = Array.from({ length: 20 }, () => panel.ask('GET', '/v1/devices'));
    const scrapes = all.flatMap((service) => Array.from({ length: 8 }, () => service.scrape()));
    for (const scrape of await Promise.all(scrapes)) expect(scrape.samples.length).to.be.above(50);
    for (const response of await Promise.all(load)) expect(response.status).to.equal(200);
  });
});

/** Returns how much larger a figure is in the later scrape. A figure that a scrape does not have counts as 0. */
function difference(before: Exposition, after: Exposition, name: string, labels: Record<string, string> = {}): number {
  return (after.sum(name, labels) ?? 0) - (before.sum(name, labels) ?? 0);
}
