import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MIN_HOST_FREE_BYTES } from '../../kit/files/host-space.js';
import { until } from '../../testing/until.js';
import { zipOf } from '../../testing/phone/zip-of.js';
import { signIn } from '../access/people.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url)));

const APK = 'application/vnd.android.package-archive';

describe('uploads of apps', () => {
  let world: World;
  let folder: string;
  let free = { freeBytes: 2 ** 40 };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'uploads-'));
    await mkdir(path.join(folder, 'own', 'job_of_a_crash'), { recursive: true });
    const apps = { catalogue: path.join(folder, 'none'), folder: path.join(folder, 'own'), measure: async () => free };
    world = await startWorld({ apps });
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => expect(await left(), 'left behind').to.deep.equal([]));

  /** The files left of uploads, once their jobs have been tidied up. */
  async function left(): Promise<string[]> {
    const names = (): Promise<string[]> => readdir(path.join(folder, 'own'));
    await until(async () => (await names()).length === 0, 2_000).catch(() => undefined);
    return names();
  }

  async function send(
    body: Buffer | FormData,
    { type, device = 'phone', key = world.key }: { type?: string | undefined; device?: string; key?: string } = {},
  ): Promise<Pick<Answer, 'status' | 'body'>> {
    const headers = { authorization: `Bearer ${key}`, ...(type !== undefined && { 'content-type': type }) };
    const sent = body instanceof FormData ? body : new Uint8Array(body);
    const url = `${world.mesh.url}/v1/devices/${device}/apk`;
    const response = await fetch(url, { method: 'POST', headers, body: sent });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  async function jobOf(response: Pick<Answer, 'status' | 'body'>): Promise<Answer['body']> {
    expect(response.status, JSON.stringify(response.body)).to.equal(202);
    return (await world.api.get(`/v1/jobs/${response.body.job.id}?wait_s=30`)).body.job;
  }

  const form = (...files: Buffer[]): FormData => {
    const built = new FormData();
    built.append('note', 'some text');
    files.forEach((bytes, at) => built.append(`file${at}`, new Blob([new Uint8Array(bytes)]), 'app.apk'));
    return built;
  };
  const fixtureApp = { package: 'com.example.fixture', version: '1.2.3' };
  const done = { kind: 'install', state: 'done', result: { ...fixtureApp, installed: ['base.apk'] } };

  it('begin with the leftovers of a crash removed', async () => {
    expect(await left()).to.deep.equal([]);
  });

  it('are installed, as the body or as the file of a form', async () => {
    const apk = await fixture('fixture-v2.apk');
    expect(await jobOf(await send(apk, { type: APK }))).to.deep.include(done);
    expect(await jobOf(await send(apk, { type: 'application/octet-stream' }))).to.deep.include(done);
    expect(await jobOf(await send(form(apk)))).to.deep.include(done);
  });

  it('are installed with the splits for the phone, which has no German', async () => {
    const bundle = zipOf([
      { name: 'com.example.fixture.apk', bytes: await fixture('fixture-v2.apk'), stored: true },
      { name: 'config.de.apk', bytes: await fixture('fixture-split_de.apk') },
      { name: 'manifest.json', bytes: Buffer.from('{}') },
    ]);
    const left_out = [{ file: 'config.de.apk', reason: 'for other languages (de)' }];
    const result = { ...fixtureApp, installed: ['com.example.fixture.apk'], left_out };
    expect(await jobOf(await send(bundle, { type: 'application/octet-stream' }))).to.deep.include({ ...done, result });
    expect(await jobOf(await send(form(bundle)))).to.deep.include({ ...done, result });
  });

  it('fail with the reason when an expansion file cannot be written, and say that the app is installed', async () => {
    const bundle = zipOf([
      { name: 'a.apk', bytes: await fixture('fixture-v2.apk'), stored: true },
      { name: 'patch.42.com.example.fixture.obb', bytes: Buffer.from('x') },
    ]);
    const folder = '/sdcard/Android/obb/com.example.fixture';
    await world.api.ask('PUT', `/v1/devices/phone/files/content?path=${folder}`, Buffer.from('a file'));
    const job = await jobOf(await send(bundle, { type: APK }));
    expect(job).to.include({ state: 'failed' });
    expect(job.error.message).to.match(
      /^com\.example\.fixture is installed, but not its expansion file patch\.42\.com\.example\.fixture\.obb: .+/,
    );
    expect((await world.api.ask('DELETE', `/v1/devices/phone/files/content?path=${folder}`)).status).to.equal(204);
  });

  it('are installed with their expansion files, and the job names what was left out', async () => {
    const main = 'main.42.com.example.fixture.obb';
    const obb = randomBytes(300_000);
    const bundle = zipOf([
      { name: 'com.example.fixture.apk', bytes: await fixture('fixture-v2.apk'), stored: true },
      { name: 'manifest.json', bytes: Buffer.from('{}') },
      { name: `Android/obb/com.example.fixture/${main}`, bytes: obb, stored: true },
      { name: 'Android/obb/com.example.fixture/main.1.other.app.obb', bytes: Buffer.from('x') },
      { name: 'Android/data/com.example.fixture/files/level', bytes: Buffer.from('x') },
    ]);
    const { result } = await jobOf(await send(bundle, { type: 'application/octet-stream' }));
    const path = `/sdcard/Android/obb/com.example.fixture/${main}`;
    expect(result).to.deep.include({ ...fixtureApp, installed: ['com.example.fixture.apk'], obb: [path] });
    expect(result.left_out).to.deep.equal([
      { file: 'Android/data/com.example.fixture/files/level', reason: 'only APKs and expansion files are installed' },
      {
        file: 'Android/obb/com.example.fixture/main.1.other.app.obb',
        reason:
          'expansion files of this app are named main.<version>.com.example.fixture.obb or patch.<version>.com.example.fixture.obb',
      },
    ]);
    const written = await world.api.get(`/v1/devices/phone/files/content?path=${path}`);
    expect(written.bytes.equals(obb)).to.equal(true);
    expect((await world.api.get(`/v1/devices/phone/files?path=${path.replace(main, '')}`)).body.entries).to.have.length(
      1,
    );
  });

  it("fail with the phone's own words", async () => {
    await jobOf(await send(await fixture('fixture-v2.apk'), { type: APK }));
    const job = await jobOf(await send(await fixture('fixture-other-key.apk'), { type: APK }));
    expect(job).to.include({ state: 'failed' });
    expect(job['error'].message).to.contain('Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: ');
    expect((await world.api.get('/v1/devices/phone')).body.device).to.include({ state: 'running' });
  });

  it('are refused before the phone is touched, when they are no app', async () => {
    const apk = await fixture('fixture-v2.apk');
    const manifest = { name: 'AndroidManifest.xml', bytes: Buffer.from('x') };
    const bodies: [string, Buffer][] = [
      ['nothing', Buffer.alloc(0)],
      ['text', Buffer.from('hello')],
      ['a zip without an app', zipOf([{ name: 'readme', bytes: Buffer.from('x') }])],
      ['an APK that is cut off', apk.subarray(0, 5_000)],
      ['a name that leads out', zipOf([manifest, { name: '../x', bytes: Buffer.from('x') }])],
      ['entries over one another', zipOf([manifest, { name: 'x', bytes: Buffer.alloc(0), claimedOffset: 3 }])],
      ['a bomb', zipOf([manifest, { name: 'classes.dex', bytes: Buffer.alloc(30 * 1024 ** 2) }])],
      ['a bomb in the manifest', zipOf([{ name: 'AndroidManifest.xml', bytes: Buffer.alloc(30 * 1024 ** 2) }])],
      ['a forged size', zipOf([{ ...manifest, bytes: Buffer.alloc(99_999), claimedBytes: 10 }])],
      ['a split alone', await fixture('fixture-split_de.apk')],
    ];
    const before = (await world.api.get('/v1/jobs')).body.jobs;
    for (const [what, bytes] of bodies) {
      const response = await send(bytes, { type: APK });
      expect([what, response.status, response.body['error']]).to.deep.equal([what, 400, 'bad_request']);
    }
    expect((await world.api.get('/v1/jobs')).body.jobs).to.deep.equal(before);
  });

  it('need one file, with its type', async () => {
    const apk = await fixture('fixture-v2.apk');
    expect((await send(form())).body['message']).to.contain('no file in the form');
    expect((await send(form(apk, apk))).body['message']).to.contain('more than one file');
    const cut = Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="a.apk"\r\n\r\nPK');
    expect((await send(cut, { type: 'multipart/form-data; boundary=b' })).status).to.equal(400);
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'image/png', 'application/zip']) {
      const response = await send(apk, { type });
      expect([response.status, response.body['error']], type).to.deep.equal([415, 'unsupported_media_type']);
      expect(response.body['message']).to.contain(APK);
    }
  });

  it('want a running phone that the key may use', async () => {
    const apk = await fixture('fixture-v2.apk');
    const off = await send(apk, { type: APK, device: 'off' });
    expect([off.status, off.body['error']]).to.deep.equal([409, 'busy']);
    expect(off.body['message']).to.contain('POST /v1/devices/off/start');
    expect((await send(apk, { type: APK, device: 'none' })).status).to.equal(404);
    expect((await send(apk, { type: APK, key: 'cp_wrong' })).status).to.equal(401);
  });

  /** A request of which only the beginning is sent. */
  async function begin(
    length: number,
    bytes = Buffer.from('PK'),
    type = APK,
    { line = 'POST /v1/devices/phone/apk', key = world.key } = {},
  ) {
    const { hostname, port } = new URL(world.mesh.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [`${line} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${key}`];
    socket.write([...head, `Content-Type: ${type}`, `Content-Length: ${length}`, '', ''].join('\r\n'));
    socket.write(bytes);
    return socket;
  }

  it('are refused while the disk of the phone’s host is nearly full, and leave nothing there', async () => {
    const apk = await fixture('fixture-v2.apk');
    for (const body of [apk, form(apk)]) {
      const type = body === apk ? APK : undefined;
      free = { freeBytes: MIN_HOST_FREE_BYTES + 8_000 };
      let response = await send(body, { type });
      // Until the room is measured again. Uploads before that are taken, or refused while the one before is installed.
      await until(async () => (response = await send(body, { type })).status === 503);
      expect([response.status, response.body['error']]).to.deep.equal([503, 'unavailable']);
      expect(response.body['message']).to.contain('Delete snapshots or devices, or try again later');
      free = { freeBytes: 2 ** 40 };
      await until(async () => (response = await send(body, { type })).status === 202);
      expect(await jobOf(response)).to.deep.include(done);
    }
  });

  it('over 2 GiB are refused by their length', async () => {
    const limit = 2 * 1024 ** 3;
    for (const [length, type] of [
      [limit + 1, APK],
      [limit + 2 * 1024 ** 2, 'multipart/form-data; boundary=x'],
    ] as const) {
      const socket = await begin(length, Buffer.from('PK'), type);
      const [response] = (await once(socket, 'data')) as [Buffer];
      expect(response.toString(), type).to.match(/^HTTP\/1\.1 413 /);
      socket.destroy();
    }
  });

  it('end soon when their key is revoked, or no longer has the device', async () => {
    const owner = await signIn(world);
    const ends = [
      ['POST /v1/devices/phone/apk', (id: string) => owner.ask('DELETE', `/v1/keys/${id}`), 401],
      ['POST /v1/devices/phone/apk', (id: string) => owner.ask('PATCH', `/v1/keys/${id}`, { devices: ['off'] }), 403],
      ['PUT /v1/library/apps/shop', (id: string) => owner.ask('DELETE', `/v1/keys/${id}`), 401],
    ] as const;
    for (const [line, end, status] of ends) {
      const key = { name: 'up', scope: 'control', devices: ['phone'] };
      const { id, key: secret } = (await owner.ask('POST', '/v1/keys', key)).body.key;
      const socket = await begin(1_000_000, Buffer.from('PK'), APK, { line, key: secret });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await until(async () => (await readdir(path.join(folder, 'own'))).length === 1);
      expect((await end(id)).status, line).to.be.within(200, 204);
      await until(() => text !== '', 20_000);
      expect(text, line).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      socket.destroy();
      expect(await left()).to.deep.equal([]);
    }
  });

  it('leave nothing when their client hangs up, and an account has four at a time', async () => {
    const sockets = await Promise.all([1, 2, 3, 4].map(() => begin(1_000_000)));
    await until(async () => (await readdir(path.join(folder, 'own'))).length === 4);
    const fifth = await send(await fixture('fixture-v2.apk'), { type: APK });
    expect([fifth.status, fifth.body['error']]).to.deep.equal([429, 'rate_limited']);
    for (const socket of sockets) socket.destroy();
    expect(await left()).to.deep.equal([]);
    expect(await jobOf(await send(await fixture('fixture-v2.apk'), { type: APK }))).to.deep.include(done);
  });
});
