import { expect } from 'chai';
import { MemberRole, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeliveryState } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { refusalOf } from '../../testing/refusal.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { Receiver } from './receiver.js';
import { as, startWebhookWorld, type TestKey, type WebhookWorld } from './webhook-world.js';

describe('webhook deliveries of members', () => {
  let temporary: TemporaryDatabase;
  let receiver: Receiver;
  let world: WebhookWorld;
  let keys: Record<'ann' | 'bob' | 'account', TestKey>;
  let sessions: Record<'ann' | 'bob' | 'admin', TestKey>;

  before(async () => {
    temporary = await openTemporaryDatabase();
    receiver = await new Receiver().listen();
    const key = (keyId: string, more: Partial<TestKey>): TestKey => ({
      ...{ keyId, url: receiver.url(), text: `cp_${keyId}` },
      ...more,
    });
    keys = {
      ann: key('key_ann', { memberId: 'mem_ann' }),
      bob: key('key_bob', { memberId: 'mem_bob' }),
      account: key('key_account', {}),
    };
    const session = (memberId: string, role: MemberRole): TestKey =>
      key(memberId, { url: '', scope: Scope.PERSON, memberId, role });
    sessions = {
      ann: session('mem_ann', MemberRole.OPERATOR),
      bob: session('mem_bob', MemberRole.VIEWER),
      admin: session('mem_admin', MemberRole.ADMIN),
    };
    world = await startWebhookWorld({
      database: temporary.database,
      keys: [...Object.values(keys), ...Object.values(sessions)],
    });
    await world.publish('evt_1');
    await world.finished(sessions.admin);
  });
  after(async () => {
    await world.close();
    await receiver.close();
    await temporary.close();
  });

  const keysSeenBy = async (session: TestKey, more: { keyId?: string; state?: DeliveryState } = {}) => {
    const { deliveries } = await world.webhooks.listDeliveries({ limit: 200, ...more }, { headers: as(session) });
    return deliveries.map(({ keyId }) => keyId).sort();
  };
  const deliveryTo = async ({ keyId }: TestKey): Promise<string> =>
    (await world.deliveries(sessions.admin)).find((delivery) => delivery.keyId === keyId)!.id;

  it('are those of all keys for an admin, and of the own keys for others', async () => {
    expect(await keysSeenBy(sessions.admin)).to.deep.equal(['key_account', 'key_ann', 'key_bob']);
    expect(await keysSeenBy(sessions.ann)).to.deep.equal(['key_ann']);
    expect(await keysSeenBy(sessions.bob)).to.deep.equal(['key_bob']);
    expect(await keysSeenBy(sessions.ann, { keyId: 'key_bob' })).to.deep.equal([]);
    expect(await keysSeenBy(sessions.ann, { keyId: 'key_ann' })).to.deep.equal(['key_ann']);
    expect(await keysSeenBy(sessions.ann, { state: DeliveryState.DELIVERED })).to.deep.equal(['key_ann']);
    for (const state of [DeliveryState.FAILED, DeliveryState.PENDING])
      expect(await keysSeenBy(sessions.ann, { state })).to.deep.equal([]);
  });

  it('are not all: the event of a key that expires is for that key and for admins', async () => {
    const payload = Buffer.from('{"event": "key.expiring"}');
    const expiring = { id: 'evt_2', type: 'key.expiring', accountId: 'acc_1', device: '', deviceCreatedBy: 'key_bob' };
    await world.events.publish({ event: { ...expiring, payload, onlyCreator: true } });
    await world.publish('evt_3');
    const typesSeenBy = async (caller: TestKey): Promise<string[]> => {
      const stop = new AbortController();
      const types: string[] = [];
      const options = { headers: as(caller), signal: stop.signal };
      for await (const { event } of world.events.watchEvents({ lastEventId: '000000000001' }, options)) {
        if (event?.type) types.push(event.type);
        if (event?.type === 'job.finished') break;
      }
      stop.abort();
      return types;
    };
    for (const caller of [sessions.admin, keys.bob])
      expect(await typesSeenBy(caller)).to.deep.equal(['key.expiring', 'job.finished']);
    for (const caller of [sessions.ann, sessions.bob])
      expect(await typesSeenBy(caller)).to.deep.equal(['job.finished']);
    await world.finished(sessions.admin);
  });

  it('of others are not found, and not sent again', async () => {
    const [own, others] = [await deliveryTo(keys.ann), await deliveryTo(keys.bob)];
    const { webhooks } = world;
    const headers = { headers: as(sessions.ann) };
    expect((await webhooks.getDelivery({ id: own }, headers)).delivery?.keyId).to.equal('key_ann');
    expect(await refusalOf(webhooks.getDelivery({ id: others }, headers))).to.include({ kind: 'not_found' });
    expect(await refusalOf(webhooks.redeliverDelivery({ id: others }, headers))).to.include({ kind: 'not_found' });
    expect((await webhooks.redeliverDelivery({ id: own }, headers)).delivery?.state).to.equal(DeliveryState.PENDING);
  });

  it('are tested by the maker of the key and by admins, and another key is as one without a webhook', async () => {
    const test = (session: TestKey, keyId: string) => world.webhooks.testWebhook({ keyId }, { headers: as(session) });
    for (const other of ['key_bob', 'key_account']) {
      const error = await refusalOf(test(sessions.ann, other));
      expect(error.kind).to.equal('bad_request');
      expect(error.message).to.equal(
        (await refusalOf(test(sessions.ann, 'key_none'))).message.replace('key_none', other),
      );
    }
    expect((await test(sessions.ann, 'key_ann')).delivery?.keyId).to.equal('key_ann');
    expect((await test(sessions.admin, 'key_bob')).delivery?.keyId).to.equal('key_bob');
  });
});
