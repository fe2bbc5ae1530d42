import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { invite } from '../access/members.js';
import { signIn, signUp } from '../access/people.js';
import { EventReader } from '../events/event-reader.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

describe('GET /v1/devices/{name}/logs/stream', () => {
  let world: World;
  const readers: EventReader[] = [];
  const open = async (query = '', key = world.key, device = 'one'): Promise<EventReader> => {
    const path = `/v1/devices/${device}/logs/stream`;
    const reader = await EventReader.open(world.mesh.url, { authorization: `Bearer ${key}` }, { path, query });
    readers.push(reader);
    return reader;
  };
  const openApp = (app: string) => world.api.post('/v1/devices/one/act', { steps: [{ open_app: { app } }] });

  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'one' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  after(() => world.close());

  it('has the lines of GET …/logs, and then those that the phone writes', async () => {
    const { body } = await world.api.get('/v1/devices/one/logs?lines=3&level=info');
    const reader = await open('?since_lines=3&level=info');
    expect(reader.headers.get('content-type')).to.equal('text/event-stream');
    await reader.have(3);
    expect(reader.events.slice(0, 3)).to.deep.equal(
      (body.lines as object[]).map((line) => ({ id: '', type: 'log', data: JSON.stringify(line) })),
    );
    expect((await openApp('com.cloudphone.settings')).status).to.equal(200);
    await until(() => reader.events.slice(3).some(({ data }) => data.includes('com.cloudphone.settings')));
    expect(reader.events.every(({ type }) => type === 'log')).to.equal(true);
  });

  it('ends with the reason when the device is deleted', async () => {
    await world.api.createPhone({ name: 'gone' });
    const reader = await open('', world.key, 'gone');
    await world.api.done(await world.api.delete('/v1/devices/gone'));
    await until(() => reader.isOver);
    const last = reader.events.at(-1);
    expect(last?.type).to.equal('stream.closed');
    expect(JSON.parse(last?.data ?? '').error).to.be.oneOf(['not_found', 'unavailable', 'busy']);
  });

  it('ends when the session moves to another account, where the name is that of another phone', async () => {
    const panel = await signIn(world);
    const { token } = await invite(await signUp(world, 'other@example.com'), { email: world.email, role: 'owner' });
    const nobody = new RestClient(world.mesh.url, undefined);
    expect((await nobody.post('/v1/invitations/accept', { token, password: world.password })).status).to.equal(201);
    const { accounts } = (await panel.ask('GET', '/v1/accounts')).body as { accounts: { id: string; email: string }[] };
    const idOf = (email: string): string => accounts.find((account) => account.email === email)!.id;
    const moveTo = (email: string) => panel.ask('POST', '/v1/session/account', { account: idOf(email) });
    await moveTo('other@example.com');
    const network = { type: 'direct', country: 'us' };
    const made = { name: 'one', model: 'phone-720p', plan: 'minute', network };
    const accepted = await panel.ask('POST', '/v1/devices', made);
    await until(async () => (await panel.ask('GET', `/v1/jobs/${accepted.body.job.id}`)).body.job.state === 'done');
    await moveTo(world.email);
    const path = '/v1/devices/one/logs/stream';
    const reader = await EventReader.open(world.mesh.url, { cookie: panel.cookie }, { path });
    readers.push(reader);
    await moveTo('other@example.com');
    await until(() => reader.isOver);
    const last = JSON.parse(reader.events.at(-1)!.data) as { error: string; message: string };
    expect([last.error, last.message]).to.deep.equal([
      'not_found',
      'The name "one" leads to another phone now. Open the stream again.',
    ]);
  });

  it('ends when the phone stops', async () => {
    await world.api.createPhone({ name: 'stopped' });
    const reader = await open('', world.key, 'stopped');
    await world.api.done(await world.api.post('/v1/devices/stopped/stop'));
    await until(() => reader.isOver, 15_000);
    const closed = reader.events.filter(({ type }) => type === 'stream.closed');
    expect(closed.map(({ data }) => JSON.parse(data).error)).to.deep.equal(['unavailable']);
  });

  it('is refused for a device that does not run, one that is not there, and fields out of bounds', async () => {
    expect(await open('', world.key, 'off')).to.include({ status: 409 });
    expect(await open('', world.key, 'none')).to.include({ status: 404 });
    for (const query of ['?since_lines=5001', '?since_lines=-1', '?level=loud', '?since=1'])
      expect(await open(query), query).to.include({ status: 400 });
  });
});
