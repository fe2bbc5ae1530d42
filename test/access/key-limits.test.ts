import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { HANDSHAKE } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { type PanelClient, signIn } from './people.js';

const DAY_MS = 86_400_000;

describe('the limits of API keys', () => {
  let world: World;
  let panel: PanelClient;

  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
    await world.api.createPhone({ name: 'one', start: false });
  });
  after(() => world.close());

  const make = (init: object) => panel.ask('POST', '/v1/keys', { name: 'x', scope: 'read', devices: ['*'], ...init });
  const expire = (id: string, expiresAt: Date) =>
    world.database.collection<{ _id: string }>('keys').updateOne({ _id: id }, { $set: { expiresAt } });

  it('are shown, changed and removed', async () => {
    const expiresAt = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const given = {
      expires_at: expiresAt,
      allow: ['127.0.0.1', '203.0.113.9/24', '2001:DB8::/32'],
      requests_per_minute: 20,
    };
    const made = await make({ ...given, devices: { label: 'team=qa' } });
    expect(made.status, made.bytes.toString()).to.equal(201);
    const { id } = made.body.key;
    const shown = { ...given, allow: ['127.0.0.1', '203.0.113.0/24', '2001:db8::/32'], devices: { label: 'team=qa' } };
    expect(made.body.key).to.deep.include(shown);
    const removed = { devices: ['one'], expires_at: '', allow: ['*'], requests_per_minute: 0 };
    const changed = await panel.ask('PATCH', `/v1/keys/${id}`, removed);
    expect(changed.body.key, changed.bytes.toString()).to.deep.include({ devices: ['one'], allow: [] });
    expect(changed.body.key).not.to.have.any.keys('expires_at', 'requests_per_minute');
    const back = await panel.ask('PATCH', `/v1/keys/${id}`, { ...given, devices: { label: 'team=qa' } });
    expect(back.body.key).to.deep.include(shown);
    expect((await panel.ask('PATCH', `/v1/keys/${id}`, { name: 'y' })).body.key).to.deep.include(shown);
  });

  it('are refused with a text that names the value', async () => {
    const bad: [object, string][] = [
      [{ expires_at: new Date(Date.now() - 1).toISOString() }, 'not in the future'],
      [{ expires_at: new Date(Date.now() + 6 * 366 * DAY_MS).toISOString() }, 'five years'],
      [{ expires_at: 'tomorrow' }, 'RFC 3339'],
      [{ allow: ['127.0.0.1', '10.0.0.0/33'] }, 'allow[1] is "10.0.0.0/33"'],
      [{ allow: ['*', '10.0.0.1'] }, 'allow[0] is "*"'],
      [{ allow: Array.from({ length: 200 }, (_, n) => `10.0.0.${n}`) }, 'allow'],
      [{ requests_per_minute: 61 }, '61 is more than 60'],
      [{ requests_per_minute: -1 }, 'requests_per_minute'],
      [{ devices: [] }, 'devices'],
      [{ devices: { label: 'team:qa' } }, 'team=qa'],
      [{ devices: { team: 'qa' } }, '"label"'],
      [{ devices: { label: 'a=b', more: 1 } }, '"label"'],
      [{ devices: 'all' }, 'devices'],
      [{ devices_label: 'team=qa' }, 'devices_label'],
    ];
    const key = (await make({})).body.key;
    for (const [init, text] of bad) {
      for (const response of [await make(init), await panel.ask('PATCH', `/v1/keys/${key.id}`, init)]) {
        expect(response.status, JSON.stringify(init).slice(0, 100)).to.equal(400);
        expect(response.body.message).to.contain(text);
      }
    }
    const missing = await panel.ask('POST', '/v1/keys', { name: 'x', scope: 'read' });
    expect([missing.status, missing.body.message])
      .to.deep.include(400)
      .and.to.satisfy(([, message]: string[]) => message?.includes('devices is missing'));
  });

  it('end the key at its time with a text for its holder alone, and its open streams', async () => {
    const { key: text, id } = (await make({ expires_at: new Date(Date.now() + DAY_MS).toISOString() })).body.key;
    const holder = world.api.as(text);
    const events = await fetch(`${world.mesh.url}/v1/events`, { headers: { authorization: `Bearer ${text}` } });
    expect(events.status).to.equal(200);
    const whole = events.text();
    await expire(id, new Date());
    await until(async () => (await holder.get('/v1/devices')).status === 401);
    const refused = await holder.get('/v1/devices');
    expect(refused.body.message).to.contain('expired at');
    expect(
      (await world.api.as(`${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`).get('/v1/devices')).body.message,
    ).not.to.contain('expired');
    expect(await whole)
      .to.contain('stream.closed')
      .and.to.contain('expired at');
    const again = { expires_at: new Date(Date.now() + DAY_MS).toISOString() };
    await panel.ask('PATCH', `/v1/keys/${id}`, again);
    await until(async () => (await holder.get('/v1/devices')).status === 200);
  });

  it('refuse other addresses at the edge, for live screens and MCP, and at gRPC, and note where a key was used', async () => {
    const { key: text, id } = (await make({ scope: 'control', allow: ['203.0.113.7'] })).body.key;
    const holder = world.api.as(text);
    const refused = await holder.get('/v1/devices');
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    expect(refused.body.message)
      .to.contain('This key may not be used from 127.0.0.1')
      .and.to.contain('PATCH /v1/keys/{id}');
    const live = await holder.ask('GET', '/v1/devices/one/live', undefined, { headers: HANDSHAKE });
    const tunnel = await holder.ask('GET', '/v1/devices/one/adb/connect', undefined, { headers: HANDSHAKE });
    const mcp = await holder.ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    for (const { status, bytes } of [live, tunnel, mcp]) {
      expect(status, bytes.toString()).to.be.oneOf([403]);
      expect(bytes.toString()).to.contain('may not be used from');
    }
    const list = (await panel.ask('GET', '/v1/keys')).body.keys;
    expect(list.find((one: { id: string }) => one.id === id)).not.to.have.any.keys('last_used_at', 'last_used_address');
    await panel.ask('PATCH', `/v1/keys/${id}`, { allow: ['127.0.0.0/8'] });
    expect((await holder.get('/v1/devices')).status).to.equal(200);
    await until(async () => {
      const { body } = await panel.ask('GET', '/v1/keys');
      const used = body.keys.find((one: { id: string }) => one.id === id);
      return used.last_used_address === '127.0.0.1' && used.last_used_at !== undefined;
    });
  });

  it('count the requests of a key by its own number', async () => {
    const { key: text } = (await make({ requests_per_minute: 2 })).body.key;
    const holder = world.api.as(text);
    const answers = [await holder.get('/v1/devices'), await holder.get('/v1/devices'), await holder.get('/v1/devices')];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit-limit')).to.equal('2');
    expect(answers[2]?.body.message).to.contain('More than 2 requests a minute for this key');
  });
});
