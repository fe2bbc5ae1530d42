import { expect } from 'chai';
import { startWorld, type World } from '../world.js';
import { operator, type PanelClient, signIn, signUp } from './people.js';

const body = { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', start: false };

describe('an Idempotency-Key', () => {
  let world: World;
  let panel: PanelClient;

  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
  });
  after(() => world.close());

  const create = (key: string, init: object = {}, api = world.api) =>
    api.post('/v1/devices', { ...body, ...init }, { headers: { 'idempotency-key': key } });

  const count = async (): Promise<number> => ((await world.api.get('/v1/devices')).body.devices as unknown[]).length;

  it('gets the first response again, to the byte, also when the device has changed or is gone', async () => {
    const before = await count();
    const first = await create('again', { name: 'again', labels: { team: 'qa', ring: 'beta' } });
    expect(first.status).to.equal(202);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    await world.api.done(first);
    // The same request, said with its fields in another order.
    const said = { labels: { ring: 'beta', team: 'qa' }, name: 'again', start: false, plan: 'minute' };
    const again = await world.api.post(
      '/v1/devices',
      { ...said, network: { country: 'us', type: 'direct' }, model: 'phone-720p' },
      { headers: { 'idempotency-key': 'again' } },
    );
    expect(again.status).to.equal(202);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.bytes.equals(first.bytes)).to.equal(true);
    expect(await count()).to.equal(before + 1);
    await world.api.done(await world.api.delete('/v1/devices/again'));
    expect((await create('again', said)).bytes.equals(first.bytes)).to.equal(true);
    expect(await count()).to.equal(before);
  });

  it('sent eight times at the same time makes one device and one response', async () => {
    const before = await count();
    const responses = await Promise.all(Array.from({ length: 8 }, () => create('eight')));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(new Set(responses.map(({ bytes }) => bytes.toString()))).to.have.length(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).to.have.length(7);
    expect(await count()).to.equal(before + 1);
  });

  it('is not for another body', async () => {
    await create('body', { name: 'body-one' });
    const other = await create('body', { name: 'body-two' });
    expect(other.status).to.equal(400);
    expect(other.body.message).to.contain('Idempotency-Key');
    expect((await world.api.get('/v1/devices/body-two')).status).to.equal(404);
  });

  it('gets a refusal again, marked as replayed', async () => {
    const first = await create('refused', { name: 'again2', android: '3' });
    expect(first.status).to.equal(400);
    const again = await create('refused', { name: 'again2', android: '3' });
    expect(again.status).to.equal(400);
    expect(again.bytes.equals(first.bytes)).to.equal(true);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('of one API key is nothing to another', async () => {
    const other = world.api.as(await panel.createKey());
    const [mine, theirs] = [await create('shared'), await create('shared', {}, other)];
    expect(mine.body.device.name).not.to.equal(theirs.body.device.name);
  });

  it('has 1 to 255 printable characters', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const response = await create(key);
      expect(response.status, key).to.equal(400);
      expect(response.body.message).to.match(/^Idempotency-Key: .*must be 1 to 255 printable ASCII characters/);
    }
    expect((await create('x'.repeat(255))).status).to.equal(202);
    expect((await create(' !~')).status).to.equal(202);
  });

  it('charges a month once', async () => {
    const buyer = await signUp(world, 'buyer@example.com');
    const api = world.api.as(await buyer.createKey());
    const refused = await create('month', { plan: 'month' }, api);
    expect(refused.status).to.equal(402);
    await operator(world).creditAccount({ email: 'buyer@example.com', amount: '30.00' });
    const responses = await Promise.all(Array.from({ length: 8 }, () => create('month-2', { plan: 'month' }, api)));
    expect(new Set(responses.map(({ bytes }) => bytes.toString()))).to.have.length(1);
    expect(responses[0]!.status).to.equal(202);
    expect((await api.get('/v1/account')).body.account.balance).to.equal('18.00');
  });
});
