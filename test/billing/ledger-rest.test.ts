import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { signIn, signUp } from '../access/people.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

describe('prices and the ledger over REST', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'one' });
    // The meter runs every few seconds.
    await until(async () => (await world.api.get('/v1/account/ledger')).body.entries.length > 1);
    await world.api.done(
      await world.api.post('/v1/devices', {
        ...{ name: 'two', model: 'phone-720p', network: { type: 'direct', country: 'us' } },
        ...{ plan: 'minute', start: false },
      }),
    );
  });
  after(() => world.close());

  it('show the prices to everybody', async () => {
    const { status, body } = await new RestClient(world.mesh.url, undefined).get('/v1/prices');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      prices: { minute: '0.004', month: '12.00', trial_minutes: 30, billing: true },
      sign_up: true,
    });
  });

  it('list each charge and credit with the balance after it, newest first, page by page', async () => {
    const { body } = await world.api.get('/v1/account/ledger');
    const [newest, ...older] = body.entries;
    expect(newest).to.include({ kind: 'minute', device: 'one', amount: '-0.004' });
    const first = older.at(-1) ?? newest;
    expect(first).to.include({ kind: 'credit', amount: '10.00', balance: '10.00' }).and.not.to.have.property('device');
    expect(newest.at).to.match(/:00\.000Z$/);
    const page = (await world.api.get('/v1/account/ledger?limit=1')).body;
    expect(page.entries).to.deep.equal([newest]);
    const rest = (await world.api.get(`/v1/account/ledger?cursor=${page.next_cursor}`)).body.entries;
    expect(rest).to.deep.equal(older);
    expect((await world.api.get(`/v1/account/ledger?before=${newest.id}`)).body.entries).to.deep.equal(older);
    expect((await world.api.get(`/v1/account/ledger?before=${first.id}`)).body).to.deep.equal({ entries: [] });
  });

  it('sum it by phone and day, with the balance after each day, and have the minutes inside', async () => {
    await until(async () => {
      const { entries } = (await world.api.get('/v1/account/ledger')).body;
      const [newest] = (await world.api.get('/v1/account/ledger/days')).body.days;
      // The meter may add a minute between the two requests.
      return newest.balance === entries[0].balance;
    });
    const { body } = await world.api.get('/v1/account/ledger/days?limit=1');
    const [{ day, entries, balance }] = body.days;
    const charged = entries.filter(({ device }: { device?: string }) => device !== undefined);
    expect(charged).to.have.length(1);
    expect(charged[0]).to.include({ kind: 'minute', device: 'one' });
    const inside = (await world.api.get(`/v1/account/ledger?day=${day}&device=one&limit=10000`)).body.entries;
    expect(inside.length).to.be.at.least(charged[0].minutes);
    expect(inside.every(({ kind, device }: Record<string, string>) => kind === 'minute' && device === 'one')).to.equal(
      true,
    );
    expect(Number(balance)).to.be.below(10);
    for (const query of ['day=2026-11-01', 'device=one', 'day=2026-02-30&device=one', 'day=x&device=one']) {
      expect((await world.api.get(`/v1/account/ledger?${query}`)).status, query).to.equal(400);
    }
    for (const query of ['limit=0', 'limit=101', 'cursor=x'])
      expect((await world.api.get(`/v1/account/ledger/days?${query}`)).status, query).to.equal(400);
  });

  it('return the same as a table', async () => {
    const { body } = await world.api.get('/v1/account/ledger');
    const table = await world.api.ask('GET', '/v1/account/ledger', undefined, { headers: { accept: 'text/csv' } });
    expect(table.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(table.headers.get('cache-control')).to.equal('private, no-cache');
    const [header, ...lines] = table.bytes.toString('utf8').split('\r\n');
    expect(header).to.equal('id,at,kind,device,amount,balance');
    expect(lines).to.deep.equal([
      ...body.entries.map(({ id, at, kind, device = '', amount, balance }: Record<string, string>) =>
        [id, at, kind, device, amount, balance].join(','),
      ),
      '',
    ]);
  });

  it('refuse keys of some devices, and values that are none', async () => {
    const panel = await signIn(world);
    const reader = new RestClient(world.mesh.url, await panel.createKey({ scope: 'read', devices: ['one'] }));
    expect((await reader.get('/v1/account/ledger')).status).to.equal(403);
    expect((await reader.get('/v1/account/ledger/days')).status).to.equal(403);
    for (const query of [
      'before=x',
      'before=0',
      'limit=0',
      'limit=10001',
      'cursor=x',
      `cursor=${Buffer.from('acc_other/000000000001').toString('base64url')}`,
    ]) {
      expect((await world.api.get(`/v1/account/ledger?${query}`)).status, query).to.equal(400);
    }
    expect((await new RestClient(world.mesh.url, undefined).get('/v1/account/ledger')).status).to.equal(401);
  });

  it("show no other account's lines", async () => {
    const other = await signUp(world, 'other@example.com');
    expect((await other.ask('GET', '/v1/account/ledger')).body).to.deep.equal({ entries: [] });
  });
});
