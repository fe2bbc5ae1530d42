import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createId } from '../../kit/text/ids.js';
import { systemClock } from '../../kit/async/clock.js';
import { sign } from '../../webhook-service/sending/sign.js';
import type { NewKey } from '../../device-service/store/keys.js';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { respondWith, Receiver } from './receiver.js';
import type { RestClient } from '../rest-client.js';

describe('webhooks over REST', () => {
  let world: World;
  let receiver: Receiver;
  let api: RestClient;
  const text = `cp_${'w'.repeat(40)}`;

  before(async () => {
    world = await startWorld();
    receiver = await new Receiver().listen();
    api = await keyWith(text, { webhookUrl: receiver.url('/hook?from=cloudphone'), devices: ['mine'] });
  });

  after(async () => {
    await world.close();
    await receiver.close();
  });

  /** A further key of the first account. */
  async function keyWith(keyText: string, init: Partial<NewKey>): Promise<RestClient> {
    const keys = world.database.collection<NewKey>('keys');
    const first = await keys.findOne({});
    await keys.insertOne({
      _id: createId('key', Date.now()),
      accountId: first!.accountId,
      name: 'webhook',
      scope: 'control',
      devices: ['*'],
      digest: createHash('sha256').update(keyText).digest('hex'),
      prefix: keyText.slice(0, 7),
      createdAt: new Date(),
      ...init,
    });
    return world.api.as(keyText);
  }

  const settledDelivery = async () => {
    for (;;) {
      const { body } = await api.get('/v1/webhooks/deliveries?limit=1');
      if (body.deliveries[0].state !== 'pending') return body.deliveries[0];
      await systemClock.sleep(10);
    }
  };

  it('notifies a key of the finished jobs of its devices, and of no others', async () => {
    await world.api.createPhone({ name: 'others', start: false });
    const accepted = await world.api.post('/v1/devices', {
      name: 'mine',
      model: 'phone-720p',
      network: { type: 'direct', country: 'us' },
      plan: 'minute',
      start: false,
    });
    const job = await world.api.done(accepted);
    await receiver.until(1);
    const { headers, body } = receiver.received[0]!;
    expect(JSON.parse(body.toString('utf8'))).to.deep.equal({
      event: 'job.finished',
      ts: job.finished_at,
      phone: 'mine',
      job,
    });
    expect(headers['x-service-signature']).to.equal(sign(body, createHash('sha256').update(text).digest('hex')));
    const delivery = await settledDelivery();
    expect(delivery).to.include({
      id: headers['x-service-delivery'],
      event: 'job.finished',
      device: 'mine',
      state: 'delivered',
      url: receiver.url('/hook?from=cloudphone'),
    });
    expect(delivery.attempts).to.have.length(1);
    expect(delivery.attempts[0]).to.have.all.keys('at', 'status', 'ms');
    expect(receiver.received).to.have.length(1);
  });

  it('sends a test event to the calling key, and sends a delivery again on request', async () => {
    const before = receiver.received.length;
    const tested = await api.post('/v1/webhooks/test', {});
    expect(tested.status).to.equal(202);
    expect(tested.body.delivery).to.include({ event: 'test', state: 'pending', device: '' });
    await receiver.until(before + 1);
    expect(JSON.parse(receiver.received[before]!.body.toString('utf8'))).to.include({ event: 'test' });
    const { id } = await settledDelivery();
    expect(id).to.equal(tested.body.delivery.id);
    const again = await api.post(`/v1/webhooks/deliveries/${id}/redeliver`, {});
    expect(again.status).to.equal(202);
    await receiver.until(before + 2);
    const [first, second] = receiver.received.slice(before);
    expect(second!.body.equals(first!.body)).to.equal(true);
    expect(second!.headers['x-service-delivery']).to.equal(id);
    expect(second!.headers['x-service-attempt']).to.equal('2');
    expect((await settledDelivery()).attempts).to.have.length(2);
  });

  it('shows one delivery with its payload and the responses of the receiver', async () => {
    const [{ id }] = (await api.get('/v1/webhooks/deliveries?limit=1')).body.deliveries;
    receiver.behave = (_request, response) =>
      response.writeHead(202, { 'content-type': 'text/plain' }).end('thank you');
    const before = receiver.received.length;
    await api.post(`/v1/webhooks/deliveries/${id}/redeliver`, {});
    await receiver.until(before + 1);
    await settledDelivery();
    receiver.behave = respondWith(204);
    const { status, body } = await api.get(`/v1/webhooks/deliveries/${id}`);
    expect(status).to.equal(200);
    expect(body.payload).to.equal(receiver.received.at(-1)!.body.toString('utf8'));
    expect(body.delivery).to.include({ id, event: 'test', state: 'delivered' });
    expect(body.delivery.attempts.at(-1)).to.include({ status: 202, response: 'thank you' });
    expect(body.delivery.attempts[0]).not.to.have.property('response');
    // A list of 200 deliveries would be a megabyte of them.
    expect(JSON.stringify((await api.get('/v1/webhooks/deliveries')).body)).not.to.contain('thank you');
    expect((await api.get('/v1/webhooks/deliveries/dlv_none')).status).to.equal(404);
  });

  it('sends a delivery 100 times at the most', async () => {
    const [{ id }] = (await api.get('/v1/webhooks/deliveries?limit=1')).body.deliveries;
    const deliveries = world.database.collection<{ _id: string; made: number }>('deliveries');
    const { made } = (await deliveries.findOne({ _id: id }))!;
    await deliveries.updateOne({ _id: id }, { $set: { made: 100 } });
    const before = receiver.received.length;
    const refused = await api.post(`/v1/webhooks/deliveries/${id}/redeliver`, {});
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
    expect(refused.body.message).to.contain('100 times');
    expect(receiver.received).to.have.length(before);
    await deliveries.updateOne({ _id: id }, { $set: { made } });
  });

  it('pages through deliveries, newest first, and keeps to a state', async () => {
    await receiver.until(3);
    await settledDelivery();
    const first = await api.get('/v1/webhooks/deliveries?limit=1');
    const second = await api.get(`/v1/webhooks/deliveries?limit=1&cursor=${first.body.next_cursor}`);
    expect([first.body.deliveries[0].event, second.body.deliveries[0].event]).to.deep.equal(['test', 'job.finished']);
    expect(second.body).not.to.have.property('next_cursor');
    expect((await api.get('/v1/webhooks/deliveries?state=failed')).body.deliveries).to.deep.equal([]);
    expect((await api.get('/v1/webhooks/deliveries?state=delivered')).body.deliveries).to.have.length(2);
  });

  it('keeps to a key and to a time', async () => {
    const list = async (query: string) => (await api.get(`/v1/webhooks/deliveries?${query}`)).body;
    const [newest, oldest] = (await list('')).deliveries;
    const idsOf = async (query: string): Promise<string[]> =>
      (await list(query)).deliveries.map(({ id }: { id: string }) => id);
    expect(await idsOf(`from=${newest.created_at}`)).to.deep.equal([newest.id]);
    expect(await idsOf(`to=${newest.created_at}`)).to.deep.equal([oldest.id]);
    expect(await idsOf(`from=${oldest.created_at}&to=${newest.created_at}&state=delivered`)).to.deep.equal([oldest.id]);
    expect(await idsOf('from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')).to.deep.equal([newest.id, oldest.id]);
    expect(await idsOf('from=9999-12-31T23:59:59Z')).to.deep.equal([]);
    const { next_cursor: cursor } = await list('limit=1');
    expect(await idsOf(`cursor=${cursor}&to=${newest.created_at}`)).to.deep.equal([oldest.id]);
    expect(await idsOf(`key_id=${newest.key_id}`)).to.have.length(2);
    expect((await api.get('/v1/webhooks/deliveries?key_id=key_other')).status).to.equal(403);
    expect((await api.get('/v1/webhooks/deliveries?from=yesterday')).status).to.equal(400);
    const panel = await signIn(world);
    const ofKey = async (id: string) =>
      (await panel.ask('GET', `/v1/webhooks/deliveries?key_id=${id}`)).body.deliveries.length;
    expect([await ofKey(newest.key_id), await ofKey('key_other')]).to.deep.equal([2, 0]);
  });

  it("refuses deliveries that are not the key's", async () => {
    const other = await keyWith(`cp_${'x'.repeat(40)}`, {});
    const { body } = await api.get('/v1/webhooks/deliveries?limit=1');
    const { id } = body.deliveries[0];
    expect((await other.get('/v1/webhooks/deliveries')).body.deliveries).to.deep.equal([]);
    expect((await other.post(`/v1/webhooks/deliveries/${id}/redeliver`, {})).status).to.equal(404);
    expect((await other.get(`/v1/webhooks/deliveries/${id}`)).status).to.equal(404);
    expect((await other.post('/v1/webhooks/test', {})).body.error).to.equal('bad_request');
    expect((await other.post('/v1/webhooks/test', { key_id: body.deliveries[0].key_id })).status).to.equal(403);
    const reader = await keyWith(`cp_${'r'.repeat(40)}`, { scope: 'read' });
    expect((await reader.post('/v1/webhooks/test', {})).status).to.equal(403);
    expect((await reader.get('/v1/webhooks/deliveries')).status).to.equal(200);
  });

  it('will not send a delivery again that has an attempt to come', async () => {
    receiver.behave = respondWith(500);
    const { body } = await api.post('/v1/webhooks/test', {});
    const refused = await api.post(`/v1/webhooks/deliveries/${body.delivery.id}/redeliver`, {});
    expect(refused.status).to.equal(409);
    expect(refused.body.error).to.equal('busy');
  });
});
