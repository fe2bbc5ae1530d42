import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { until } from '../../testing/until.js';
import { EventLog } from '../../webhook-service/events/event-log.js';
import { EventStore } from '../../webhook-service/store/events.js';
import { invite } from '../access/members.js';
import { joinAccount, type PanelClient, signIn, signUp } from '../access/people.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { EventReader } from './event-reader.js';

const SLOW_MS = 400;

const MANY_TYPES =
  'job.finished,device.state,health.resolved,recording.finished,lease.begun,lease.ended,handover.begun,handover.ended,app.crashed,key.expiring';

describe('GET /v1/events', () => {
  let world: World;
  let panel: PanelClient;
  let accountId: string;
  /** The log as another process writes it: the service finds its events only in the database. */
  let elsewhere: EventLog;
  const readers: EventReader[] = [];

  before(async () => {
    const most = 1_000_000;
    world = await startWorld({
      limits: {
        ...{ maxKeyRequests: most, maxDeviceRequests: most, maxSessionRequests: most, maxAccountRequests: most },
        ...{ maxAnonymousRequests: most, slowReaderMs: SLOW_MS, maxSocketsOfCaller: 8 },
      },
    });
    panel = await signIn(world);
    accountId = (await world.database.collection<{ _id: string }>('accounts').findOne({}))!._id;
    elsewhere = new EventLog(new EventStore(world.database), systemClock, () => undefined);
    await world.api.createPhone({ name: 'one' });
    await world.api.createPhone({ name: 'two', start: false });
    // Events follow their jobs: what tests read begins after those of the creations.
    const reader = await open({ query: '?last_event_id=000000000000' });
    const has = (phone: string, state: string): boolean =>
      reader.events.some(({ data }) => data.includes(`"phone":"${phone}","state":"${state}"`));
    await until(() => has('one', 'running') && has('two', 'stopped') && finished(reader) === 2);
    for (const opened of readers.splice(0)) opened.close();
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  after(() => world.close());

  async function open(
    options: Parameters<typeof EventReader.open>[2] = {},
    authorization: Record<string, string> = { authorization: `Bearer ${world.key}` },
  ): Promise<EventReader> {
    const reader = await EventReader.open(world.mesh.url, authorization, options);
    readers.push(reader);
    return reader;
  }

  const finished = (reader: EventReader): number => reader.events.filter(({ type }) => type === 'job.finished').length;

  let added = 0;
  const add = (event: { type?: string; device?: string; account?: string; payload?: string } = {}): Promise<void> =>
    elsewhere.add({
      id: `made-${added++}`,
      type: event.type ?? 'job.finished',
      accountId: event.account ?? accountId,
      device: event.device ?? 'one',
      deviceCreatedBy: 'key_none',
      payload: Buffer.from(event.payload ?? JSON.stringify({ number: added })),
    });

  it('streams jobs and states as they happen, with the JSON of webhooks', async () => {
    const reader = await open();
    expect(reader.status).to.equal(200);
    expect(reader.headers.get('content-type')).to.equal('text/event-stream');
    expect(reader.headers.get('cache-control')).to.equal('no-store, no-transform');
    expect([reader.retryMs, reader.comments, reader.events]).to.deep.equal([3_000, 1, []]);
    const job = await world.api.done(await world.api.post('/v1/devices/one/restart'));
    await until(() => reader.events.length >= 4);
    const all = reader.events.map(({ type, data }) => ({
      type,
      ...(JSON.parse(data) as { state?: string; job?: object }),
    }));
    const states = all.filter(({ type }) => type === 'device.state');
    expect(states.map(({ state }) => state)).to.deep.equal(['stopping', 'starting', 'running']);
    expect(states[0]).to.include({ event: 'device.state', phone: 'one' }).and.to.have.keys(['type', 'event', 'ts', 'phone', 'state']); // prettier-ignore
    const finished = all.find(({ type }) => type === 'job.finished');
    expect(finished).to.include({ event: 'job.finished', phone: 'one' });
    expect(finished!.job).to.deep.equal(job);
    const ids = reader.events.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].sort());
  });

  it('keeps to types and to a device', async () => {
    const [states, two, both] = [
      await open({ query: '?types=device.state' }),
      await open({ query: '?device=two' }),
      await open({ query: `?types=${MANY_TYPES}&types=health.problem&device=two` }),
    ];
    await world.api.done(await world.api.post('/v1/devices/one/restart'));
    await world.api.done(await world.api.post('/v1/devices/two/start'));
    await states.have(5);
    expect(states.events.every(({ type }) => type === 'device.state')).to.equal(true);
    for (const reader of [two, both]) {
      await reader.have(3);
      const phones = reader.events.map(({ data }) => (JSON.parse(data) as { phone: string }).phone);
      expect(phones).to.deep.equal(['two', 'two', 'two']);
    }
  });

  it('goes on after each id, and loses and repeats none while others write', async () => {
    const { lastId: begin } = await open();
    const random = seededRandom(24);
    const writers = [1, 2, 3].map(async (writer) => {
      for (let number = 0; number < 25; number++) await add({ payload: `${writer}/${number}` });
    });
    const got: string[] = [];
    let lastEventId = begin;
    while (got.length < 75) {
      const reader = await open({ lastEventId });
      await reader.have(Math.min(75 - got.length, 1 + Math.floor(random() * 9)));
      reader.close();
      got.push(...reader.events.map(({ data }) => data));
      lastEventId = reader.lastId;
    }
    await Promise.all(writers);
    expect(new Set(got).size).to.equal(75);
    expect(got).to.have.length(75);
    for (const writer of ['1', '2', '3']) {
      const own = got.filter((data) => data.startsWith(`${writer}/`));
      expect(own).to.deep.equal(Array.from({ length: 25 }, (_, number) => `${writer}/${number}`));
    }
    const whole = await open({ query: `?last_event_id=${begin}` });
    await whole.have(75);
    expect(whole.events.map(({ data }) => data)).to.deep.equal(got);
    // The header is of a later time than the URL.
    const later = await open({ query: `?last_event_id=${begin}`, lastEventId: whole.events[72]!.id });
    expect((await later.have(2)).map(({ data }) => data)).to.deep.equal(got.slice(73));
    for (const at of [0, 37, 73]) {
      const rest = await open({ lastEventId: whole.events[at]!.id });
      expect((await rest.have(74 - at)).map(({ data }) => data)).to.deep.equal(got.slice(at + 1));
      rest.close();
    }
  });

  it('refuses ids that are none or not kept, with the oldest to go on from, and types that are none', async () => {
    for (const query of [
      '?last_event_id=x',
      '?last_event_id=999999999999',
      '?types=job.began',
      '?types=',
      '?device=',
    ]) {
      const { status, body } = await open({ query });
      expect([status, (JSON.parse(body) as { error: string }).error], query).to.deep.equal([400, 'bad_request']);
    }
    await add();
    const events = world.database.collection<{ _id: string; expiresAt?: Date }>('events');
    await events.updateMany({}, { $set: { expiresAt: new Date(0) } });
    await elsewhere.sweep();
    expect(await events.countDocuments({ accountId })).to.equal(1);
    const gone = await open({ lastEventId: '000000000000' });
    expect(gone.status).to.equal(400);
    const [, oldest = ''] = /go on from is (\d+)\./.exec(gone.body) ?? [];
    expect((await (await open({ lastEventId: oldest })).have(1)).length).to.equal(1);
    // Numbers go on, although all but one event are gone.
    await elsewhere.sweep();
    await add({ payload: 'next' });
    const next = await open({ lastEventId: String(Number(oldest) + 1).padStart(12, '0') });
    expect((await next.have(1)).map(({ data }) => data)).to.deep.equal(['next']);
  });

  it('shows a key its own devices only, follows a change of them, and ends with the key', async () => {
    const { body } = await panel.ask('POST', '/v1/keys', { name: 'events', scope: 'read', devices: ['two'] });
    const reader = await open({}, { authorization: `Bearer ${body.key.key as string}` });
    await add({ device: 'one', payload: 'hidden' });
    await add({ device: '', payload: 'a group of others' });
    await add({ device: 'two', payload: 'shown' });
    expect((await reader.have(1)).map(({ data }) => data)).to.deep.equal(['shown']);
    await panel.ask('PATCH', `/v1/keys/${body.key.id as string}`, { devices: ['one'] });
    await until(async () => {
      await add({ device: 'one', payload: 'now shown' });
      return reader.events.length > 1;
    });
    const beganMs = systemClock.monotonicMs();
    await panel.ask('DELETE', `/v1/keys/${body.key.id as string}`);
    await until(() => reader.isOver);
    expect(systemClock.monotonicMs() - beganMs).to.be.below(15_000);
    const last = reader.events.at(-1)!;
    expect([last.type, (JSON.parse(last.data) as { error: string }).error]).to.deep.equal([
      'stream.closed',
      'unauthorized',
    ]);
  });

  it('ends for a person whose session moves to another account, and shows nothing after that', async () => {
    const member = await joinAccount(world, panel, { email: 'kim@example.com', role: 'viewer', devices: ['one'] });
    const elsewhereToo = await signUp(world, 'of-kim@example.com');
    const { token } = await invite(elsewhereToo, { email: 'kim@example.com', role: 'owner' });
    await new RestClient(world.mesh.url, undefined).post('/v1/invitations/accept', {
      token,
      password: 'correct horse',
    });
    const { accounts } = (await member.ask('GET', '/v1/accounts')).body as { accounts: { id: string; role: string }[] };
    const [first, second] = accounts;
    await member.ask('POST', '/v1/session/account', { account: first!.id });
    const reader = await open({}, { cookie: member.cookie });
    await member.ask('POST', '/v1/session/account', { account: second!.id });
    await until(async () => {
      await add({ device: 'two', payload: 'of the first account' });
      return reader.isOver;
    });
    expect(reader.events.map(({ type }) => type)).to.deep.equal(['stream.closed']);
  });

  it('shows nothing of other accounts, whose ids are their own', async () => {
    const other = await signUp(world, 'other@example.com');
    const reader = await open({}, { cookie: other.cookie });
    expect(reader.lastId).to.equal('000000000000');
    await add({ payload: 'of the first account' });
    const theirs = await world.database.collection<{ _id: string }>('accounts').findOne({ email: 'other@example.com' });
    await add({ account: theirs!._id, payload: 'own' });
    expect((await reader.have(1)).map(({ data, id }) => [id, data])).to.deep.equal([['000000000001', 'own']]);
  });

  it('cuts a client that takes nothing, and loses none of its events', async () => {
    const big = 'x'.repeat(64 * 1024);
    const { lastId } = await open();
    for (const reader of readers.splice(0)) reader.close();
    const headers = { authorization: `Bearer ${world.key}`, 'last-event-id': lastId };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${world.mesh.url}/v1/events`, { headers }, resolve).on('error', reject).end();
    });
    response.pause();
    await until(async () => (await openSockets()) === 1);
    const count = 200;
    await Promise.all(Array.from({ length: count }, (_, number) => add({ payload: `${number} ${big}` })));
    await until(async () => (await openSockets()) === 0);
    // What was on its way is all that there is.
    let bytes = 0;
    response.on('error', () => undefined).on('data', (chunk: Buffer) => (bytes += chunk.length));
    await new Promise((resolve) => response.once('close', resolve).resume());
    expect(bytes)
      .to.be.above(0)
      .and.below(count * big.length);
    // This one reads, but may be as slow on a busy machine: then it goes on.
    const got: number[] = [];
    for (let lastEventId = lastId; got.length < count;) {
      const reader = await open({ lastEventId });
      await reader.have(count - got.length);
      reader.close();
      const events = reader.events.filter(({ type }) => type !== 'stream.closed');
      got.push(...events.map(({ data }) => parseInt(data)));
      lastEventId = reader.lastId;
    }
    expect(got).to.deep.equal(Array.from({ length: count }, (_, at) => at));
  });

  it('counts as a socket, and one that is over makes room', async () => {
    await until(async () => (await openSockets()) === 0);
    const opened = await Promise.all(Array.from({ length: 80 }, () => open()));
    const refused = opened.filter(({ status }) => status === 429);
    expect(opened.filter(({ status }) => status === 200)).to.have.length(8);
    expect(refused).to.have.length(72);
    for (const reader of readers.splice(0)) reader.close();
    await until(async () => (await openSockets()) === 0);
    expect((await open()).status).to.equal(200);
  });

  it('needs a key', async () => {
    expect((await open({}, {})).status).to.equal(401);
  });

  /** Returns the count of the gateway's metrics. */
  async function openSockets(): Promise<number> {
    const metric = await world.metrics.getSingleMetric('http_open_sockets')?.get();
    return metric?.values[0]?.value ?? -1;
  }
});
