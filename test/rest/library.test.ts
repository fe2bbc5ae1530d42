import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DEFAULT_LIBRARY_KEPT_MS } from '../../device-service/devices/limits.js';
import { until } from '../../testing/until.js';
import { zipOf } from '../../testing/phone/zip-of.js';
import { signUp } from '../access/people.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const APK = 'application/vnd.android.package-archive';
const FIXTURE = 'com.example.fixture';
const shaOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('the app library', () => {
  let world: World;
  let folder: string;
  let newer: Buffer;
  let older: Buffer;

  before(async () => {
    [newer, older] = [await readFile(fixture('fixture-v2.apk')), await readFile(fixture('fixture-v1.apk'))];
    folder = await mkdtemp(path.join(os.tmpdir(), 'library-'));
    const catalogue = path.join(folder, 'offered');
    await mkdir(catalogue);
    await copyFile(fixture('fixture-v1.apk'), path.join(catalogue, 'offered.apk'));
    world = await startWorld({ apps: { catalogue, folder: path.join(folder, 'own') } });
    await world.api.createPhone({ name: 'phone' });
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const { name } of (await list()).apps as { name: string }[]) await world.api.delete(appPath(name));
  });

  const appPath = (name: string): string => `/v1/library/apps/${name}`;
  const list = async (query = ''): Promise<Answer['body']> => (await world.api.get(`/v1/library/apps${query}`)).body;
  async function put(
    name: string,
    body: Buffer | FormData,
    { type = APK, key = world.key }: { type?: string; key?: string } = {},
  ): Promise<Pick<Answer, 'status' | 'body'>> {
    const isForm = body instanceof FormData;
    const headers = { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': type }) };
    const sent = isForm ? body : new Uint8Array(body);
    const response = await fetch(`${world.mesh.url}${appPath(name)}`, { method: 'PUT', headers, body: sent });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
  async function jobOf(accepted: Answer): Promise<Answer['body']> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${accepted.body.job.id}?wait_s=60`)).body.job;
  }
  const install = (app: string, device = 'phone'): Promise<Answer> =>
    world.api.post(`/v1/devices/${device}/apps`, { app });
  const installed = async (device = 'phone'): Promise<Record<string, string>> => {
    const { apps } = (await world.api.get(`/v1/devices/${device}/apps`)).body;
    return Object.fromEntries(apps.map((app: { package: string; version: string }) => [app.package, app.version]));
  };
  const create = (more: object): Promise<Answer> =>
    world.api.post('/v1/devices', {
      ...{ model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', ...more },
    });

  it('takes an app as the body or as the file of a form, lists it, and deletes it', async () => {
    const { status, body } = await put('shop', newer);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.app).to.deep.include({ name: 'shop', package: FIXTURE, version: '1.2.3', size: newer.length });
    expect(body.app.sha256).to.equal(shaOf(newer));
    expect(body.app).not.to.have.property('last_used_at');
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(older)]), 'app.apk');
    expect((await put('a-form', form)).body.app.sha256).to.equal(shaOf(older));
    expect((await world.api.get(appPath('shop'))).body).to.deep.equal(body);
    const first = await list('?limit=1');
    expect(first.apps.map(({ name }: { name: string }) => name)).to.deep.equal(['a-form']);
    expect((await list(`?cursor=${first.next_cursor}`)).apps).to.deep.equal([body.app]);
    expect((await world.api.delete(appPath('shop'))).status).to.equal(204);
    expect((await world.api.delete(appPath('shop'))).body.error).to.equal('not_found');
    const gone = await world.api.get(appPath('shop'));
    expect([gone.status, gone.body.message]).to.deep.equal([404, 'There is no app "shop" in the library. GET /v1/library/apps has the list.']); // prettier-ignore
    expect((await readdir(path.join(folder, 'own'))).filter((name) => name !== 'library')).to.deep.equal([]);
  });

  it('is installed by my/<name>, with the file that the name had when the install was accepted', async () => {
    await put('shop', newer);
    const accepted = await install('my/shop');
    // A later upload, and even a deletion, change nothing for it.
    await put('shop', older);
    await world.api.delete(appPath('shop'));
    const job = await jobOf(accepted);
    const result = { package: FIXTURE, version: '1.2.3', installed: ['base.apk'] };
    expect(job).to.deep.include({ kind: 'install', state: 'done', result });
    expect((await installed())[FIXTURE]).to.equal('1.2.3');
    await put('shop', older);
    const refused = await jobOf(await install('my/shop'));
    expect(refused).to.include({ state: 'failed' });
    expect(refused.error.message).to.contain('INSTALL_FAILED_VERSION_DOWNGRADE');
    const { app } = (await world.api.get(appPath('shop'))).body;
    expect(Date.parse(app.last_used_at)).to.be.at.least(Date.parse(app.uploaded_at));
    await jobOf(await world.api.delete(`/v1/devices/phone/apps/${FIXTURE}`));
  });

  it('takes a bundle, whose APKs are chosen when it is installed', async () => {
    const bundle = zipOf([
      { name: 'com.example.fixture.apk', bytes: newer, stored: true },
      { name: 'config.de.apk', bytes: await readFile(fixture('fixture-split_de.apk')) },
      { name: 'manifest.json', bytes: Buffer.from('{}') },
    ]);
    expect((await put('bundle', bundle)).body.app).to.include({ package: FIXTURE, version: '1.2.3' });
    const { result } = await jobOf(await install('my/bundle'));
    expect(result.installed).to.deep.equal(['com.example.fixture.apk']);
    expect(result.left_out).to.deep.equal([{ file: 'config.de.apk', reason: 'for other languages (de)' }]);
    await jobOf(await world.api.delete(`/v1/devices/phone/apps/${FIXTURE}`));
  });

  it('is installed by steps of groups, for which the last upload counts', async () => {
    await put('shop', newer);
    const group = (app: string): Promise<Answer> =>
      world.api.post('/v1/groups', { devices: ['phone'], steps: [{ install: { app } }] });
    const done = await group('my/shop');
    expect(done.status, done.bytes.toString()).to.equal(202);
    await until(async () => (await world.api.get(`/v1/groups/${done.body.group.id}`)).body.group.state === 'done');
    expect((await installed())[FIXTURE]).to.equal('1.2.3');
    const failed = await group('my/none');
    const read = async () => (await world.api.get(`/v1/groups/${failed.body.group.id}`)).body.group;
    await until(async () => (await read()).state === 'failed');
    expect(JSON.stringify(await read())).to.contain('GET /v1/library/apps');
    await jobOf(await world.api.delete(`/v1/devices/phone/apps/${FIXTURE}`));
  });

  it('is part of a new device, whose job ends when its apps are installed', async () => {
    await put('shop', newer);
    const accepted = await create({ name: 'with-apps', apps: ['offered', 'my/shop'] });
    await put('shop', older);
    const job = await jobOf(accepted);
    expect(job, JSON.stringify(job)).to.include({ kind: 'create', state: 'done', progress: 100 });
    expect(job).not.to.have.property('result');
    expect((await installed('with-apps'))[FIXTURE]).to.equal('1.2.3');
    expect((await world.api.get(appPath('shop'))).body.app).to.have.property('last_used_at');
    await jobOf(await world.api.delete('/v1/devices/with-apps'));
  });

  it('fails the job of a new device at the first app that the phone refuses, and the phone runs on', async () => {
    await put('shop', newer);
    await put('foreign', await readFile(fixture('fixture-other-key.apk')));
    const job = await jobOf(await create({ name: 'refusing', apps: ['my/shop', 'my/foreign', 'offered'] }));
    expect(job).to.deep.include({ kind: 'create', state: 'failed' });
    expect(job.error.message).to.match(/^The phone runs, but the app "my\/foreign" was not installed: .*INSTALL_FAILED_UPDATE_INCOMPATIBLE/); // prettier-ignore
    const { device } = (await world.api.get('/v1/devices/refusing')).body;
    expect(device).to.include({ state: 'running' }).and.not.to.have.any.keys('job', 'problem');
    expect((await installed('refusing'))[FIXTURE]).to.equal('1.2.3');
    expect((await world.api.get('/v1/devices/refusing/screenshot')).status).to.equal(200);
    await jobOf(await world.api.delete('/v1/devices/refusing'));
  });

  it('refuses a new device with apps that are not there, twice the same, too many, or without a start', async () => {
    await put('shop', newer);
    for (const [more, words] of [
      [{ apps: ['my/shop', 'my/none'] }, 'apps: there is no "my/none"'],
      [{ apps: ['none'] }, 'apps: there is no "none" in the catalogue'],
      [{ apps: ['my/'] }, 'GET /v1/library/apps'],
      [{ apps: ['my/shop', 'my/shop'] }, 'apps'],
      [{ apps: Array.from({ length: 210 }, (_, at) => `my/app${at}`) }, 'apps'],
      [{ apps: ['my/shop'], start: false }, 'start false'],
    ] as const) {
      const refused = await create({ name: 'refused', ...more });
      expect([refused.status, refused.body.error], words).to.deep.equal([400, 'bad_request']);
      expect(refused.body.message).to.contain(words);
    }
    expect((await world.api.get('/v1/devices/refused')).status).to.equal(404);
  });

  it('repeats a create with an Idempotency-Key as one, with the apps of the first', async () => {
    await put('shop', newer);
    const body = {
      ...{ name: 'once', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' },
      apps: ['my/shop'],
    };
    const send = () => world.api.post('/v1/devices', body, { headers: { 'idempotency-key': 'with-apps' } });
    const first = await send();
    await put('shop', older);
    const again = await send();
    expect(again.body.job.id).to.equal(first.body.job.id);
    expect(await jobOf(first)).to.include({ state: 'done' });
    expect((await installed('once'))[FIXTURE]).to.equal('1.2.3');
    await jobOf(await world.api.delete('/v1/devices/once'));
  });

  it('is the account’s own: another one does not see it, cannot install it, and may have its names', async () => {
    await put('shop', newer);
    const other = await signUp(world, 'other@example.com');
    expect((await other.ask('GET', '/v1/library/apps')).body.apps).to.deep.equal([]);
    expect((await other.ask('GET', appPath('shop'))).status).to.equal(404);
    expect((await other.ask('DELETE', appPath('shop'))).status).to.equal(404);
    const refused = await other.ask('POST', '/v1/devices', {
      ...{ model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', apps: ['my/shop'] },
    });
    expect([refused.status, refused.body.message]).to.deep.equal([
      400,
      'apps: there is no "my/shop" in the library of this account. GET /v1/library/apps has the list.',
    ]);
    expect((await put('shop', older, { key: await other.createKey() })).body.app).to.include({ version: '1.0' });
    expect((await world.api.get(appPath('shop'))).body.app).to.include({ version: '1.2.3' });
    expect((await other.ask('DELETE', appPath('shop'))).status).to.equal(204);
    expect((await install('my/../../x')).body.error).to.equal('bad_request');
    expect((await world.api.get(appPath('shop'))).body.app).to.include({ name: 'shop' });
  });

  it('wants a good name, a key that may change things, and a body of its type', async () => {
    for (const name of ['Shop', '-a', 'a%2Fb', '%2e%2e%2fa', 'a'.repeat(65)]) {
      const refused = await put(name, newer);
      expect([400, 404], name).to.include(refused.status);
    }
    expect((await put('a'.repeat(65), newer)).body.message).to.contain('1 to 64 of a-z');
    expect((await put('shop', newer, { type: 'image/png' })).status).to.equal(415);
    expect((await put('shop', Buffer.from('hello'))).body.error).to.equal('bad_request');
    expect((await put('shop', newer, { key: 'cp_wrong' })).status).to.equal(401);
    expect((await list()).apps).to.deep.equal([]);
  });

  it('refuses more than 2 GiB by its length', async () => {
    const { hostname, port } = new URL(world.mesh.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [`PUT ${appPath('shop')} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${world.key}`];
    socket.write([...head, `Content-Type: ${APK}`, `Content-Length: ${10 * 2 * 1024 ** 3}`, '', ''].join('\r\n'));
    socket.write('PK');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('counts in the storage of the account, each file once', async () => {
    const used = async (): Promise<number> => {
      const { account } = (await world.api.get('/v1/account')).body;
      return account.quotas.storage_bytes.used;
    };
    const before = await used();
    await put('one', newer);
    await put('two', newer);
    expect((await used()) - before).to.be.within(newer.length, newer.length + 1_000_000);
  });

  it('takes another build of an app where the account has no room left, and no new app', async () => {
    await put('shop', newer);
    const accounts = world.database.collection('accounts');
    const { accountId } = (await world.database.collection('library').findOne({ name: 'shop' }))!;
    await accounts.updateOne({ _id: accountId }, { $set: { quotas: { devices: 0, storageBytes: 1 } } });
    expect((await put('shop', newer)).status).to.equal(200);
    expect((await put('shop', older)).status).to.equal(older.length <= newer.length ? 200 : 403);
    expect((await put('new', newer)).body.error).to.equal('forbidden');
    await accounts.updateOne({ _id: accountId }, { $unset: { quotas: '' } });
  });

  it('loses apps without use by the regular work of the service, and keeps their files for a while', async () => {
    await put('old', newer);
    await put('new', older);
    const longAgo = new Date(Date.now() - DEFAULT_LIBRARY_KEPT_MS - 1);
    await world.database.collection('library').updateOne({ name: 'old' }, { $set: { idleSince: longAgo } });
    await world.mesh.device.runTask('remove apps of libraries without use');
    await world.mesh.device.runTask('remove unused files of libraries');
    expect((await list()).apps.map(({ name }: { name: string }) => name)).to.deep.equal(['new']);
    expect(await readdir(path.join(folder, 'own', 'library'))).to.include.members([shaOf(newer), shaOf(older)]);
  });

  it('is not deleted while a pool uses it', async () => {
    await put('shop', newer);
    const { accountId } = (await world.database.collection('library').findOne({ name: 'shop' }))!;
    await world.database.collection('pools').insertOne({
      _id: 'pool_1' as never,
      ...{ accountId, name: 'ready', nameKey: `${String(accountId)}/ready`, description: { apps: ['my/shop'] } },
    });
    const refused = await world.api.delete(appPath('shop'));
    expect([refused.status, refused.body.error]).to.deep.equal([409, 'busy']);
    expect(refused.body.message).to.contain('the pools "ready"');
    await world.database.collection('pools').deleteMany({});
    expect((await world.api.delete(appPath('shop'))).status).to.equal(204);
  });
});
