import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { verifyWebhook } from '../../client/src/webhooks.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { SecretBox } from '../../kit/text/secret-box.js';
import { until } from '../../testing/until.js';
import { Receiver } from '../webhooks/receiver.js';
import type { RestClient } from '../rest-client.js';
import { signUp } from './people-of.js';
import { type SeparateName, type SeparateServices, startSeparateServices } from './separate-services.js';

const ADMIN = fileURLToPath(new URL('../../admin/main.js', import.meta.url));
const ORDER: readonly SeparateName[] = ['device', 'screen', 'relay', 'webhook', 'gateway', 'status'];

const former = { MESH_TOKEN: 'a'.repeat(64), SECRETS_KEY: '0a'.repeat(32) };
const next = { MESH_TOKEN: 'b'.repeat(64), SECRETS_KEY: '0b'.repeat(32) };
type Secrets = typeof former;
const both = (first: Secrets, second: Secrets): Secrets => ({
  MESH_TOKEN: `${first.MESH_TOKEN},${second.MESH_TOKEN}`,
  SECRETS_KEY: `${first.SECRETS_KEY},${second.SECRETS_KEY}`,
});

describe('MESH_TOKEN and SECRETS_KEY of services that run', function () {
  this.timeout(300_000);
  let services: SeparateServices;
  let api: RestClient;
  let key: string;
  let mongo: MongoConnection;
  const receiver = new Receiver();

  before(async () => {
    await receiver.listen();
    services = await startSeparateServices({ ...former });
    ({ api, key } = await signUp(services.edgeUrl, { webhook_url: receiver.url('/hook') }));
    mongo = await connectMongo({ url: services.databaseUrl, database: 'cloudphone', log: silentLog });
  });
  after(async () => {
    await mongo.close();
    await services.close();
    await receiver.close();
  });

  /** Uses every service for which the gateway, or another service, shows the token. */
  async function useAll(): Promise<void> {
    // A device service that has just started is still at work on the phones that it finds.
    let accepted = await api.post('/v1/devices/one/restart');
    await until(async () => {
      if (accepted.status === 409) accepted = await api.post('/v1/devices/one/restart');
      return accepted.status !== 409;
    }, 30_000);
    await api.done(accepted);
    expect((await api.get('/v1/devices/one/screenshot')).status).to.equal(200);
    expect((await api.get('/v1/devices/one/adb')).status).to.equal(200);
    expect((await api.get('/v1/webhooks/deliveries')).status).to.equal(200);
  }

  async function seal(secrets: Secrets): Promise<{ kind: string; sealed: number; again: number }[]> {
    const env = { PATH: process.env['PATH'], DEVICE_SERVICE_URL: services.deviceUrl, ...secrets };
    const { stdout } = await promisify(execFile)(process.execPath, [ADMIN, 'secrets', 'seal', '--json'], { env });
    return (JSON.parse(stdout) as { kinds: { kind: string; sealed: number; again: number }[] }).kinds;
  }

  it('are replaced one service after the other, and no key, proxy or step is lost', async () => {
    await api.createPhone({ name: 'one' });
    const proxy = 'socks5://ada:lovelace@192.0.2.1:1080';
    await api.createPhone({ name: 'proxied', start: false });
    const devices = mongo.database.collection<{ _id: string; name: string; exit: object }>('devices');
    const { _id: phoneId } = (await devices.findOne({ name: 'proxied' }))!;
    const sealed = new SecretBox(Buffer.from(former.SECRETS_KEY, 'hex')).seal(proxy, `${phoneId} exit`);
    await devices.updateOne(
      { _id: phoneId },
      { $set: { exit: { type: 'custom', country: 'zz', timezone: 'UTC', proxy: sealed } } },
    );
    const steps = [{ act: { type: { text: 'hunter2', secret: true } } }];
    const week = { devices: ['one'], days: ['mon'], time: '07:30', timezone: 'UTC' };
    const made = await api.post('/v1/schedules', { ...week, steps });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    await useAll();
    for (const secrets of [both(former, next), both(next, former)])
      for (const name of ORDER) {
        await services.restart(name, secrets);
        await useAll();
      }
    // A key that was lost: nothing may say that its secret is sealed with the first one.
    const lost = { ...both(next, former), SECRETS_KEY: `${next.SECRETS_KEY},${'0c'.repeat(32)}` };
    const unknown = new SecretBox(Buffer.from('0d'.repeat(32), 'hex')).seal(proxy, `${phoneId} exit`);
    const known = (await devices.findOne({ _id: phoneId }))!.exit;
    await devices.updateOne({ _id: phoneId }, { $set: { 'exit.proxy': unknown } });
    const refused = await seal(lost).catch(
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
    expect(refused).to.have.property('code', 1);
    const { stdout, stderr } = refused as { stdout: string; stderr: string };
    expect(JSON.parse(stdout).kinds[1]).to.include({ kind: 'proxies', sealed: 0, unreadable: 1 });
    expect(stderr).to.contain('No key of SECRETS_KEY opens the unreadable secrets.');
    await devices.updateOne({ _id: phoneId }, { $set: { exit: known } });
    const first = await seal(both(next, former));
    expect(first.map(({ kind, sealed }) => [kind, sealed > 0])).to.deep.equal([
      ['keys', true],
      ['proxies', true],
      ['steps', true],
      ['second_factors', false],
    ]);
    expect((await seal(both(next, former))).map(({ again }) => again)).to.deep.equal([0, 0, 0, 0]);
    for (const name of ORDER) {
      await services.restart(name, next);
      await useAll();
    }
    const stored = (await devices.findOne({ _id: phoneId }))?.exit as { proxy: string };
    expect(new SecretBox(Buffer.from(next.SECRETS_KEY, 'hex')).open(stored.proxy, `${phoneId} exit`)).to.equal(proxy);
    expect((await api.get('/v1/schedules')).body.schedules[0].steps).to.have.length(1);
    // The signature is made with the digest of the API key, which the database has sealed.
    expect(receiver.received.length).to.be.above(10);
    for (const { body, headers } of receiver.received)
      expect(await verifyWebhook(body, headers['x-service-signature'] as string, key)).to.equal(true);
  });
});
