import { expect } from 'chai';
import { deviceNames } from '../../docs/samples/grpc.js';
import { until } from '../../testing/until.js';
import { EventReader } from '../events/event-reader.js';
import { LiveClient } from '../live/live-client.js';
import { RawAdb } from '../relay/raw-adb.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { operator, type PanelClient, signIn, signUp } from './people.js';

const EMAIL = 'ann@example.com';
const TEXT = 'The operator has disabled this account. Ask the operator of the service.';

describe('an account that the operator disables', () => {
  let world: World;
  let panel: PanelClient;
  let key: string;
  let api: RestClient;
  before(async () => {
    world = await startWorld();
    panel = await signUp(world, EMAIL);
    await operator(world).creditAccount({ email: EMAIL, amount: '5.00' });
    key = await panel.createKey();
    api = world.api.as(key);
    await api.createPhone({ name: 'hers' });
    await world.api.createPhone({ name: 'others' });
  });
  after(() => world.close());

  it('is refused with the reason everywhere, what was open ends, and its phones are stopped', async () => {
    const { body } = await api.post('/v1/devices/hers/adb', { allow: ['127.0.0.1'] });
    const adb = await RawAdb.loggedIn(body.adb as { port: number });
    const viewer = await LiveClient.open(world.mesh.url, 'hers', { authorization: `Bearer ${key}` });
    await viewer.frame(1);
    const events = await EventReader.open(world.mesh.url, { authorization: `Bearer ${key}` });

    const disabled = await operator(world).disableAccount({ email: EMAIL });
    expect(disabled).to.deep.include({ stopping: 1, busy: [] });

    await adb.closed;
    const { code, reason } = await viewer.end(10_000);
    expect([code, reason]).to.deep.equal([1008, `unauthorized: ${TEXT}`]);
    await until(() => events.isOver);
    await until(async () => (await api.get('/v1/devices')).status === 401);
    expect((await api.get('/v1/devices')).body).to.deep.equal({ error: 'unauthorized', message: TEXT });
    expect((await panel.ask('GET', '/v1/devices')).status).to.equal(401);
    const grpc = await deviceNames(world.mesh.grpc.device.replace(/^\w+:\/\//, ''), key).catch(String);
    expect(grpc).to.include('UNAUTHENTICATED').and.include(TEXT);
    const anyone = new RestClient(world.mesh.url, undefined);
    const signedIn = await anyone.post('/v1/session', { email: EMAIL, password: 'correct horse' });
    expect([signedIn.status, signedIn.body.message]).to.deep.equal([401, TEXT]);
    const guessed = await anyone.post('/v1/session', { email: EMAIL, password: 'correct cow' });
    expect(guessed.body.message).not.to.equal(TEXT);

    const stateOf = async (): Promise<string> => {
      const found = await world.database.collection('devices').findOne({ name: 'hers' });
      return String(found?.['state']);
    };
    await until(async () => (await stateOf()) === 'stopped');
    // The relay is off, and other accounts are as they were.
    await until(async () => (await world.database.collection('relays').countDocuments({ device: 'hers' })) === 0);
    expect((await world.api.get('/v1/devices/others')).body.device.state).to.equal('running');
    const { accounts, disabled: names } = await operator(world).listAccounts({});
    expect([accounts.length, names]).to.deep.equal([2, [EMAIL]]);
  });

  it('is let in again with its keys, and its phones stay stopped', async () => {
    await operator(world).enableAccount({ email: EMAIL });
    await until(async () => (await api.get('/v1/devices/hers')).status === 200);
    expect((await api.get('/v1/devices/hers')).body.device.state).to.equal('stopped');
    await signIn(world, EMAIL, 'correct horse');
    await world.api.as(key).done(await api.post('/v1/devices/hers/start'));
  });

  it('has quotas of its own where the operator sets them', async () => {
    const { account } = await operator(world).setAccountQuotas({ email: EMAIL, devices: 1 });
    expect(account?.quotas?.devices).to.include({ used: 1, most: 1 });
    const body = { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', start: false };
    const refused = await api.post('/v1/devices', body);
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    await operator(world).setAccountQuotas({ email: EMAIL });
    expect((await api.post('/v1/devices', body)).status).to.equal(202);
  });
});
