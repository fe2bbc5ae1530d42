import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import { RawAdb } from '../relay/raw-adb.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const MIB = 1024 ** 2;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('files of a phone over REST', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(() => world.close());

  const content = (path: string, device = 'phone'): string =>
    `/v1/devices/${device}/files/content?path=${encodeURIComponent(path)}`;
  const put = (path: string, bytes: Uint8Array): Promise<Answer> => world.api.ask('PUT', content(path), bytes);
  const list = (path: string, query = ''): Promise<Answer> =>
    world.api.get(`/v1/devices/phone/files?path=${encodeURIComponent(path)}${query}`);
  const names = async (path: string): Promise<string[]> =>
    (await list(path)).body.entries.map(({ name }: { name: string }) => name);
  /** Waits until nothing of an upload is left in a directory, and no file is under way. */
  const tidy = async (path: string): Promise<void> => {
    const free = async (): Promise<boolean> =>
      (await Promise.all([1, 2, 3].map(() => world.api.get(content('/sdcard/none'))))).every(
        ({ status }) => status === 404,
      );
    await until(free, 10_000);
    expect((await names(path)).filter((name) => name.startsWith('.upload_'))).to.deep.equal([]);
  };

  it('go up and down whole, with what the phone knows of them', async () => {
    const bytes = randomBytes(64 * MIB);
    const { status, body } = await put('/sdcard/big/one/file.bin', bytes);
    expect(status).to.equal(200);
    expect(body.path).to.equal('/sdcard/big/one/file.bin');
    expect(body.file).to.deep.include({ name: 'file.bin', type: 'file', size: 64 * MIB });
    expect(Math.abs(Date.parse(body.file.modified_at) - Date.now())).to.be.below(60_000);
    const read = await world.api.get(content('/sdcard/big/one/file.bin'));
    expect([read.status, sha256(read.bytes)]).to.deep.equal([200, sha256(bytes)]);
    const header = (name: string) => read.headers.get(name);
    expect(header('content-length')).to.equal(String(64 * MIB));
    expect(header('content-type')).to.equal('application/octet-stream');
    expect(header('content-disposition')).to.equal('attachment; filename="file.bin"');
    expect([header('x-content-type-options'), header('cache-control')]).to.deep.equal(['nosniff', 'no-store']);
    await world.api.delete(content('/sdcard/big/one/file.bin'));
    expect(await names('/sdcard/big/one')).to.deep.equal([]);
  });

  it('take the place of a link, whose target stays as it is', async () => {
    expect((await put('/data/local/tmp/target.txt', Buffer.from('kept'))).status).to.equal(200);
    const { adb } = (await world.api.post('/v1/devices/phone/adb', { allow: ['127.0.0.1'] })).body;
    const client = await RawAdb.loggedIn(adb);
    expect((await client.shell('ln -s target.txt /data/local/tmp/link.txt')).status).to.equal(0);
    client.end();
    const { status, body } = await put('/data/local/tmp/link.txt', Buffer.from('new'));
    expect(status).to.equal(200);
    expect(body.file).to.deep.include({ name: 'link.txt', type: 'file', size: 3 });
    for (const [name, text] of [
      ['target', 'kept'],
      ['link', 'new'],
    ] as const)
      expect((await world.api.get(content(`/data/local/tmp/${name}.txt`))).bytes.toString()).to.equal(text);
  });

  it('may be empty, and are replaced whole', async () => {
    expect((await put('/sdcard/a.txt', Buffer.alloc(0))).body.file.size).to.equal(0);
    const headers = { authorization: `Bearer ${world.key}` };
    const empty = await fetch(world.mesh.url + content('/sdcard/a.txt'), { headers });
    expect([empty.status, (await empty.arrayBuffer()).byteLength]).to.deep.equal([200, 0]);
    await put('/sdcard/a.txt', Buffer.from('a long text'));
    expect((await put('/sdcard/a.txt', Buffer.from('short'))).body.file.size).to.equal(5);
    expect((await world.api.get(content('/sdcard/./x/../a.txt'))).bytes.toString()).to.equal('short');
    expect(await names('/sdcard')).not.to.contain('.upload');
  });

  it('have any name', async () => {
    const odd = [
      'with blanks',
      `quotes ' " \``,
      'a\nnew line',
      'ünï 日本 😀',
      '-rf',
      '$(reboot)',
      '*',
      'back\\slash',
      '.hidden',
      '%2e',
    ];
    for (const name of odd) {
      const path = `/data/local/tmp/odd/${name}`;
      const written = await put(path, Buffer.from(name));
      expect([written.status, written.body.file?.name], name).to.deep.equal([200, name]);
      const read = await world.api.get(content(path));
      expect(read.bytes.toString(), name).to.equal(name);
      expect(read.headers.get('content-disposition'), name).to.match(/^attachment; filename/);
    }
    expect((await names('/data/local/tmp/odd')).toSorted()).to.deep.equal(odd.toSorted());
    for (const name of odd)
      expect((await world.api.delete(content(`/data/local/tmp/odd/${name}`))).status, name).to.equal(204);
    expect((await world.api.delete(content('/data/local/tmp/odd'))).status).to.equal(204);
    expect((await list('/data/local/tmp/odd')).status).to.equal(404);
  });

  it('are listed by pages, directories first', async () => {
    await Promise.all(['b', 'a', 'd'].map((name) => put(`/sdcard/list/${name}`, Buffer.from(name))));
    await put('/sdcard/list/z/in', Buffer.from('x'));
    expect(await names('/sdcard/list')).to.deep.equal(['z', 'a', 'b', 'd']);
    const first = (await list('/sdcard/list', '&limit=3')).body;
    const second = (await list('/sdcard/list', `&limit=3&cursor=${first.next_cursor}`)).body;
    expect([first.entries.length, second.entries.length, second.next_cursor]).to.deep.equal([3, 1, undefined]);
    expect(second.entries[0].name).to.equal('d');
    expect((await world.api.get('/v1/devices/phone/files')).body.path).to.equal('/sdcard');
  });

  it('are refused with what to do', async () => {
    const refusals: [string, string, number, RegExp][] = [
      ['GET', '/etc/hosts', 400, /begins with \/sdcard or \/data\/local\/tmp/],
      ['PUT', '/sdcard/../data/x', 400, /outside/],
      ['DELETE', '/sdcard', 400, /itself/],
      ['GET', '/sdcard', 400, /is a directory/],
      ['PUT', '/sdcard/list', 400, /is a directory/],
      ['DELETE', '/sdcard/list', 400, /not empty/],
      ['GET', '/sdcard/none', 404, /lists a directory/],
      ['DELETE', '/sdcard/none', 404, /no \/sdcard\/none/],
      ['PUT', '/sdcard/a.txt/b', 400, /could not/],
      ['PUT', `/sdcard/${'x'.repeat(300)}`, 400, /too long/],
      ['PUT', `/sdcard/${'y/'.repeat(490)}z`, 400, /too long/],
    ];
    for (const [method, path, status, text] of refusals) {
      const response = await world.api.ask(method, content(path), method === 'PUT' ? Buffer.from('x') : undefined);
      expect([path, response.status]).to.deep.equal([path, status]);
      expect(response.body.message, path).to.match(text);
    }
    expect((await list('/sdcard/a.txt')).body.message).to.contain('no directory');
    expect((await world.api.get('/v1/devices/phone/files/content')).body.message).to.contain('path is missing');
    expect((await world.api.ask('PUT', '/v1/devices/phone/files/content', Buffer.from('x'))).status).to.equal(400);
    const form = await world.api.ask('PUT', content('/sdcard/f'), Buffer.from('x'), {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(form.status).to.equal(415);
  });

  it('are for running phones, and by a read-only key for reading alone', async () => {
    for (const path of ['/v1/devices/off/files', content('/sdcard/a.txt', 'off')]) {
      const { status, body } = await world.api.get(path);
      expect([status, body.error]).to.deep.equal([409, 'busy']);
    }
    const reader = world.api.as(await (await signIn(world)).createKey({ scope: 'read' }));
    expect((await reader.get(content('/sdcard/a.txt'))).status).to.equal(200);
    expect((await reader.ask('PUT', content('/sdcard/a.txt'), Buffer.from('x'))).status).to.equal(403);
    expect((await reader.delete(content('/sdcard/a.txt'))).status).to.equal(403);
  });

  /** An upload of which only the beginning is sent. */
  async function beginUpload(path: string, length: number) {
    const { hostname, port } = new URL(world.mesh.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [`PUT ${content(path)} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${world.key}`];
    socket.write([...head, `Content-Length: ${length}`, '', ''].join('\r\n'));
    socket.write(Buffer.alloc(Math.min(length, 300_000)));
    return socket;
  }

  it('end soon when the key that sends them is revoked, also where nothing of them comes', async () => {
    const owner = await signIn(world);
    const made = await owner.ask('POST', '/v1/keys', { name: 'up', scope: 'control', devices: ['*'] });
    const { hostname, port } = new URL(world.mesh.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(
      `PUT ${content('/sdcard/stalled.bin')} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${made.body.key.key}\r\n` +
        'Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\nbegun',
    );
    // A use of the key is noted once the request has got to the service.
    await until(async () => (await owner.ask('GET', '/v1/keys')).body.keys.at(-1).last_used_at !== undefined, 20_000);
    const beganMs = performance.now();
    expect((await owner.ask('DELETE', `/v1/keys/${made.body.key.id}`)).status).to.equal(204);
    await until(() => text !== '', 40_000);
    expect(text).to.match(/^HTTP\/1.1 401 /);
    expect(performance.now() - beganMs).to.be.below(15_000);
    socket.destroy();
    await tidy('/sdcard');
  });

  it('over 2 GiB are refused by their length', async () => {
    const socket = await beginUpload('/sdcard/huge', 2 * 1024 ** 3 + 1);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('three at a time: more are refused, and broken uploads leave the old file and nothing else', async () => {
    await put('/sdcard/kept/file', Buffer.from('old'));
    const sockets = await Promise.all([1, 2, 3].map(() => beginUpload('/sdcard/kept/file', 5_000_000)));
    // Looking whether they are under way would itself be one of the three.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const fourth = await world.api.get(content('/sdcard/kept/file'));
    expect([fourth.status, fourth.body.error]).to.deep.equal([429, 'rate_limited']);
    expect(fourth.body.message).to.contain('Wait until one of them is through');
    for (const socket of sockets) socket.destroy();
    await tidy('/sdcard/kept');
    expect((await world.api.get(content('/sdcard/kept/file'))).bytes.toString()).to.equal('old');
    expect(await names('/sdcard/kept')).to.deep.equal(['file']);
  });

  /** A download whose client reads nothing yet. */
  async function beginDownload(path: string): Promise<IncomingMessage> {
    const request = get(world.mesh.url + content(path), {
      headers: { authorization: `Bearer ${world.key}` },
      agent: false,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    response.on('error', () => undefined);
    return response;
  }

  it('whose reader is slow take no memory, and free everything when it leaves', async () => {
    await put('/sdcard/slow.bin', randomBytes(128 * MIB));
    globalThis.gc?.();
    const before = process.memoryUsage();
    const responses = await Promise.all([1, 2, 3].map(() => beginDownload('/sdcard/slow.bin')));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).to.be.below(48 * MIB);
    expect((await world.api.get(content('/sdcard/slow.bin'))).status).to.equal(429);
    for (const response of responses) response.destroy();
    await tidy('/sdcard');
  });

  it('are cut off when the phone ends in the middle: never a short success', async () => {
    await world.api.delete(content('/sdcard/slow.bin'));
    expect((await put('/sdcard/cut.bin', randomBytes(128 * MIB))).status).to.equal(200);
    const response = await beginDownload('/sdcard/cut.bin');
    expect(response.statusCode).to.equal(200);
    await world.api.done(await world.api.post('/v1/devices/phone/stop'));
    let bytes = 0;
    response.on('data', (part: Buffer) => (bytes += part.length));
    const ended = await new Promise<string>((resolve) => {
      response.once('end', () => resolve('end')).once('error', () => resolve('error'));
      response.resume();
    });
    expect([ended, response.complete, bytes < 128 * MIB]).to.deep.equal(['error', false, true]);
    await world.api.done(await world.api.post('/v1/devices/phone/start'));
  });

  it('are in the timeline, with path and size', async () => {
    await world.api.ask('PATCH', '/v1/devices/phone', { timeline: true });
    await put('/sdcard/t.txt', Buffer.from('text'));
    await world.api.get(content('/sdcard/t.txt'));
    await world.api.delete(content('/sdcard/t.txt'));
    await world.api.get(content('/sdcard/t.txt'));
    let entries: Answer['body'][] = [];
    await until(async () => {
      entries = (await world.api.get('/v1/devices/phone/timeline?kind=file')).body.entries;
      return entries.length === 4;
    }, 10_000);
    const seen = entries.toReversed().map(({ kind, request, outcome }) => ({ kind, request, outcome }));
    const entry = (operation: string, outcome: string, size?: number) => ({
      ...{ kind: 'file', outcome },
      request: { operation, path: '/sdcard/t.txt', ...(size !== undefined && { size }) },
    });
    expect(seen).to.deep.equal([
      ...[entry('write', 'done', 4), entry('read', 'done', 4), entry('delete', 'done'), entry('read', 'not_found')],
    ]);
  });
});
