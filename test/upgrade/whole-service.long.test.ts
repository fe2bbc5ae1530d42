import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { releaseBefore } from '../../testing/release-before.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { EventReader } from '../events/event-reader.js';
import { removeData } from '../installation.js';
import { RawAdb } from '../relay/raw-adb.js';
import { Receiver, respondWith } from '../webhooks/receiver.js';
import { type Customer, deliveries, NOTE, ONCE, useRelease } from './customer.js';
import { type ReleasedService, startRelease, THIS_RELEASE } from './installation-of.js';
import { lost } from './kept.js';

/** How much later the new release starts, by its clock: after the time of the schedule and of all repeated deliveries. */
const LATER_MS = 11 * 60_000;

describe('an upgrade from the release before, of a whole service', function () {
  // The first test of a machine builds the release before.
  this.timeout(600_000);
  let directory: string;
  let environment: Record<string, string>;
  let receiver: Receiver;
  let receivedBefore: number;
  let customer: Customer;
  /** Accepted before the stop, and not finished then. */
  let underWay: string[];
  let now: ReleasedService | undefined;

  before(async function () {
    const release = await releaseBefore();
    if (typeof release === 'string') skip(this, release);
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-upgrade-'));
    receiver = await new Receiver().listen();
    receiver.behave = respondWith(503);
    const port = await freePort();
    environment = { RELAY_PORTS: `${port}-${port}` };
    now = await startRelease(release, directory, { environment });
    customer = await useRelease(now, directory, receiver.url());
    const { api, service } = now;
    const wait = {
      devices: ['runs'],
      steps: [{ wait: { ms: 3_000 } }, { open_app: { app: 'Notes' } }],
      on_error: 'stop',
    };
    const accepted = [await api.post('/v1/groups', wait), await api.post('/v1/devices/works/restart')];
    underWay = accepted.map(({ body }) => body.job.id as string);
    expect(await service.stop()).to.equal(0);
    receivedBefore = receiver.received.length;
    receiver.behave = respondWith(204);
    now = await startRelease(THIS_RELEASE, directory, { environment, laterMs: LATER_MS });
  });
  after(async () => {
    await now?.service.stop();
    await (receiver as Receiver | undefined)?.close();
    await removeData(directory);
  });

  const api = (): ReleasedService['api'] => now!.api;

  it('lets people and keys in with what they had', async () => {
    const { email, password } = now!;
    expect((await api().as(undefined).post('/v1/session', { email, password })).status).to.equal(201);
    expect((await now!.panel(customer.cookie).ask('GET', '/v1/keys')).status).to.equal(200);
    for (const key of [now!.service.key, customer.hookKey, customer.readKey])
      expect((await api().as(key).get('/v1/devices/runs')).status).to.equal(200);
    expect((await api().as(customer.readKey).post('/v1/devices/runs/stop')).status).to.equal(403);
    expect((await api().as(customer.readKey).get('/v1/devices/works')).status).to.equal(403);
    const shared = await api().as(customer.shareToken).get('/v1/share');
    expect(shared.body.share).to.include({ device: 'runs', access: 'read' });
  });

  it('ends the jobs that were under way', async () => {
    for (const id of underWay) {
      const { job } = (await api().get(`/v1/jobs/${id}?wait_s=60`)).body;
      expect(job.state, JSON.stringify(job)).to.equal('done');
    }
  });

  it('brings back the phones that ran, and leaves the others off', async () => {
    await until(async () => (await api().get('/v1/devices/runs')).body.device.state === 'running');
    await until(async () => (await api().get('/v1/devices/works')).body.device.state === 'running');
    expect((await api().get('/v1/devices/runs/screenshot')).status).to.equal(200);
    const { device } = (await api().get('/v1/devices/fails')).body;
    expect(device.state).to.equal('failed');
  });

  it('has all that there was', async () => {
    const panel = now!.panel(customer.cookie);
    for (const [path, before] of customer.seen) {
      const { body } = await panel.ask('GET', path);
      // The app Lab is no part of simulated phones any more.
      const found = lost(before, body, CHANGING[path]).filter((fault) => fault !== '.apps[Lab] is gone');
      expect(found, path).to.deep.equal([]);
    }
  });

  it('runs the schedule that was due meanwhile', async () => {
    const path = `/v1/schedules/${customer.scheduleId}`;
    await until(async () => (await api().get(path)).body.schedule.last_run?.state === 'done');
    expect((await api().get('/v1/devices/monthly')).body.device.state).to.equal('running');
    const { schedule } = (await api().get(path)).body;
    const due = (customer.seen.get('/v1/schedules') as { schedules: [{ next_run_at: string }] }).schedules[0]
      .next_run_at;
    expect(schedule.last_run.at).to.equal(due);
    expect(Date.parse(schedule.next_run_at)).to.equal(Date.parse(due) + 86_400_000);
  });

  it('delivers the events that waited, under their ids and with the signature of the key', async () => {
    const waited = (customer.seen.get('/v1/webhooks/deliveries?limit=200') as { deliveries: { id: string }[] })
      .deliveries;
    expect(waited.length).to.be.above(5);
    const secret = createHash('sha256').update(customer.hookKey).digest('hex');
    const arrived = (): Set<unknown> =>
      new Set(receiver.received.slice(receivedBefore).map(({ headers }) => headers['x-service-delivery']));
    await until(() => waited.every(({ id }) => arrived().has(id)));
    for (const { headers, body } of receiver.received) {
      expect(headers['x-service-signature']).to.equal(createHmac('sha256', secret).update(body).digest('hex'));
    }
    await until(async () => (await deliveries(api())).every(({ state }) => state === 'delivered'));
  });

  it('continues the stream of events after the last one that was read', async () => {
    const url = now!.service.baseUrl.replace(/\/v1$/, '');
    const stream = await EventReader.open(
      url,
      { authorization: `Bearer ${customer.hookKey}` },
      { lastEventId: customer.lastEventId },
    );
    const finished = (): string[] =>
      stream.events
        .filter(({ type }) => type === 'job.finished')
        .map(({ data }) => (JSON.parse(data) as { job: { id: string } }).job.id);
    // The stream has the jobs of both releases: those of the old one come first.
    await until(() => underWay.every((id) => finished().includes(id)));
    stream.close();
    const ids = stream.events.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].sort());
    expect(finished()).to.have.length(new Set(finished()).size);
    const kinds = stream.events.map(({ data }) => (JSON.parse(data) as { job?: { kind: string } }).job?.kind);
    expect(kinds).to.include.members(['install', 'snapshot', 'group']);
  });

  it('keeps the ADB address and its code', async () => {
    const client = await RawAdb.loggedIn(customer.relay);
    const { status } = await client.shell('true');
    client.socket.destroy();
    expect(status).to.equal(0);
  });

  it('restores a snapshot of the old release', async () => {
    expect((await api().get(NOTE)).status).to.equal(404);
    await api().done(await api().post(`/v1/devices/runs/snapshots/${customer.snapshotId}/restore`));
    expect((await api().get(NOTE)).bytes.toString()).to.equal('written before the upgrade');
  });

  it('repeats the response to a request with an Idempotency-Key', async () => {
    const again = await api().post('/v1/devices', ONCE.body, ONCE.options);
    expect([again.status, again.bytes.toString()]).to.deep.equal([202, customer.created.bytes.toString()]);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('charges every minute and month once', async () => {
    const { entries } = (await api().get('/v1/account/ledger?limit=200')).body;
    expect(chargedTwice(entries as Entry[])).to.deep.equal([]);
    // Newest first; each balance is the one before and the amount.
    const micros = (text: string): number => Math.round(Number(text) * 1e6);
    const wrong = (entries as Entry[]).filter(({ amount, balance }, at) => {
      const older = (entries as Entry[])[at + 1];
      return older !== undefined && micros(balance) !== micros(older.balance) + micros(amount);
    });
    expect(wrong).to.deep.equal([]);
    expect((entries as Entry[]).filter(({ kind }) => kind === 'month')).to.have.length(1);
    // Minutes begin meanwhile.
    await until(async () => {
      const { entries: latest } = (await api().get('/v1/account/ledger?limit=1')).body;
      return (await api().get('/v1/account')).body.account.balance === latest[0].balance;
    });
  });
});

interface Entry {
  kind: string;
  at: string;
  device?: string;
  amount: string;
  balance: string;
}

function chargedTwice(entries: readonly Entry[]): string[] {
  const charges = entries
    .filter(({ kind }) => kind === 'minute' || kind === 'month')
    .map(({ kind, device, at }) => `${kind} ${device ?? ''} ${at}`);
  return charges.filter((one, at) => charges.indexOf(one) !== at);
}

/** Fields of responses that the upgraded service changes by its work. */
const CHANGING: Record<string, string[]> = {
  // A start finds out more than a job that failed.
  '/v1/health': ['problem'],
  '/v1/devices': ['state', 'problem'],
  '/v1/account': ['balance'],
  '/v1/usage': ['minutes', 'cost'],
  '/v1/schedules': ['next_run_at', 'last_run'],
  '/v1/webhooks/deliveries?limit=200': ['state', 'attempts', 'next_attempt_at'],
  '/v1/sessions': ['current'],
};
