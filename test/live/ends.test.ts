import { expect } from 'chai';
import { connectRaw } from '../../testing/raw-client.js';
import { type PanelClient, signIn, signUp } from '../access/people.js';
import { HANDSHAKE } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { LiveClient, Refused } from './live-client.js';

describe('the end of watching', function () {
  let world: World;
  let panel: PanelClient;
  before(async () => {
    world = await startWorld({ limits: { maxSocketsOfCaller: 3, maxKeyRequests: 1_000, maxDeviceRequests: 1_000 } });
    panel = await signIn(world);
    await world.api.createPhone({ name: 'watched' });
  });
  after(() => world.close());

  const opened: LiveClient[] = [];
  afterEach(async () => {
    for (const viewer of opened.splice(0)) {
      viewer.close();
      await viewer.end();
    }
  });

  async function watch(name = 'watched', key: string | undefined = world.key, query = ''): Promise<LiveClient> {
    const viewer = await LiveClient.open(world.mesh.url, name, { ...(key !== '' && { authorization: `Bearer ${key}` }) }, query); // prettier-ignore
    opened.push(viewer);
    return viewer;
  }

  const refusal = (opening: Promise<LiveClient>): Promise<Refused> =>
    opening.then(
      () => {
        throw new Error('it was not refused');
      },
      (error: unknown) => {
        if (error instanceof Refused) return error;
        throw error;
      },
    );

  describe('before it begins', () => {
    const wrong: [string, number, string, () => Promise<LiveClient>][] = [
      ['no key', 401, 'unauthorized', () => watch('watched', '')],
      ['a wrong key', 401, 'unauthorized', () => watch('watched', 'cp_wrong')],
      ['a device that is not there', 404, 'not_found', () => watch('nothing')],
      ['an unknown parameter', 400, 'bad_request', () => watch('watched', world.key, '?events=1')],
      ['a format that is none', 400, 'bad_request', () => watch('watched', world.key, '?format=gif')],
      ['a quality out of bounds', 400, 'bad_request', () => watch('watched', world.key, '?quality=0')],
      ['too many frames', 400, 'bad_request', () => watch('watched', world.key, '?fps=61')],
      ['a size out of bounds', 400, 'bad_request', () => watch('watched', world.key, '?max_size=15')],
    ];
    for (const [what, status, kind, open] of wrong) {
      it(`refuses ${what} with an ordinary response`, async () => {
        const { status: got, body, headers } = await refusal(open());
        expect([got, body.error]).to.deep.equal([status, kind]);
        expect(headers).to.include.keys('x-request-id', 'ratelimit-limit');
        expect(headers['connection']).to.equal('close');
      });
    }

    it("refuses another account's device as if it were not there", async () => {
      const stranger = await signUp(world, 'stranger@example.com');
      expect(await refusal(watch('watched', await stranger.createKey()))).to.include({ status: 404 });
    });

    it('refuses a phone that does not run with busy', async () => {
      await world.api.createPhone({ name: 'stopped', start: false });
      const { status, body } = await refusal(watch('stopped'));
      expect(status).to.equal(409);
      expect(body.message).to.include('/start');
    });

    it('refuses a request that is no handshake, and handshakes that are wrong', async () => {
      const path = '/v1/devices/watched/live';
      const plain = await world.api.get(path);
      expect([plain.status, plain.body.error]).to.deep.equal([400, 'bad_request']);
      expect(plain.body.message).to.include('ws://');
      for (const change of [
        { 'sec-websocket-version': '8' },
        { 'sec-websocket-key': 'short' },
        // More often than sockets are allowed: none of them counts as open.
        ...Array.from({ length: 4 }, () => ({ 'sec-websocket-protocol': 'a,,b' })),
        { 'sec-websocket-protocol': 'a, a' },
      ]) {
        const { status, body } = await world.api.get(path, { headers: { ...HANDSHAKE, ...change } });
        expect([status, body.error], JSON.stringify(change)).to.deep.equal([400, 'bad_request']);
      }
    });

    it('ignores handshakes elsewhere, and offers of other protocols with their bodies', async () => {
      const { status, body } = await world.api.get('/v1/devices', { headers: HANDSHAKE });
      expect([status, body.devices.length > 0]).to.deep.equal([200, true]);
      const raw = await connectRaw(Number(new URL(world.mesh.url).port));
      const json = JSON.stringify({ find_text: { text: 'Settings' } });
      raw.send(
        `POST /v1/devices/watched/action HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${world.key}\r\n` +
          `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
      );
      expect(await raw.until(/"matches".*\}/)).to.match(/^HTTP\/1.1 200 /);
      raw.socket.destroy();
    });

    it('lets go of the connection of a client that ended it right after its handshake', async () => {
      const raw = await connectRaw(Number(new URL(world.mesh.url).port));
      const headers = Object.entries({ host: '127.0.0.1', authorization: `Bearer ${world.key}`, ...HANDSHAKE });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      raw.socket.end(`GET /v1/devices/watched/live HTTP/1.1\r\n${lines}\r\n`);
      await raw.rest();
    });

    it('lets one key have so many', async () => {
      for (let count = 0; count < 3; count++) await (await watch()).text('hello');
      expect(await refusal(watch())).to.include({ status: 429 });
    });
  });

  it('comes with 1008 soon after the key was revoked', async () => {
    const before = await panel.ask('GET', '/v1/keys');
    const key = await panel.createKey({ scope: 'read' });
    const after = await panel.ask('GET', '/v1/keys');
    const known = new Set(before.body.keys.map(({ id }: { id: string }) => id));
    const { id } = after.body.keys.find(({ id: one }: { id: string }) => !known.has(one));
    const viewer = await watch('watched', key);
    await viewer.frame(1);
    await panel.ask('DELETE', `/v1/keys/${id}`);
    const { code, reason } = await viewer.end(15_000);
    expect(code).to.equal(1008);
    expect(reason).to.match(/^unauthorized: /);
    expect(viewer.texts.at(-1)).to.include({ type: 'error', error: 'unauthorized' });
  });

  it('does not come with a restart: the new screen follows', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    const texts = viewer.texts.length;
    await world.api.done(await world.api.post('/v1/devices/watched/restart'));
    const screen = await viewer.text('screen', texts);
    expect(screen.screen).to.deep.equal({ width: 720, height: 1280, rotation: 0 });
    const from = viewer.received.indexOf(screen);
    await viewer.until(() => viewer.received.slice(from).find((one) => 'image' in one), 'frame after the restart');
    await world.api.post('/v1/devices/watched/act', { open_app: { app: 'Settings' } });
    const seen = viewer.frames.length;
    viewer.send({ events: [{ key: { name: 'home' } }] });
    await viewer.until(() => (viewer.frames.length > seen ? true : undefined), 'frame after input');
  });

  it('does not come with a stop, which is reported, as long as a start may follow', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    await world.api.done(await world.api.post('/v1/devices/watched/stop'));
    const { message, error } = await viewer.text('error');
    expect(error).to.equal('busy');
    expect(message).to.include('watched');
    const texts = viewer.texts.length;
    await world.api.done(await world.api.post('/v1/devices/watched/start'));
    await viewer.text('screen', texts);
  });

  it('comes with 4404 when the device is deleted', async () => {
    await world.api.createPhone({ name: 'short-lived' });
    const viewer = await watch('short-lived');
    await viewer.frame(1);
    await world.api.done(await world.api.delete('/v1/devices/short-lived'));
    expect(await viewer.end()).to.include({ code: 4404 });
  });

  it('comes with 1009 after a message that is too large', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    viewer.send(' '.repeat(70_000));
    expect((await viewer.end()).code).to.equal(1009);
  });

  it('comes with 1002 or 1007 after bytes that are no WebSocket message, and the service goes on', async () => {
    for (const bytes of [Buffer.from([0xff, 0xff, 0, 0]), Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])]) {
      const viewer = await watch();
      await viewer.frame(1);
      (viewer.ws as unknown as { _socket: { write(data: Buffer): void } })._socket.write(bytes);
      expect((await viewer.end()).code).to.be.oneOf([1002, 1007]);
    }
    expect((await world.api.get('/v1/devices')).status).to.equal(200);
  });

  it('does not come with 10,000 small messages, which are done or refused in order', async () => {
    const viewer = await watch();
    await viewer.frame(1);
    for (let count = 0; count < 10_000; count++) viewer.send('{}');
    viewer.send({ events: [{ key: { name: 'home' } }], last: 1 });
    await viewer.until(() => viewer.texts.find(({ message }) => message?.includes('last')), 'last error', 25_000);
    // The edge refuses that one itself: errors of the service may come after it.
    await viewer.until(() => (viewer.texts.length > 10_001 ? true : undefined), 'every error', 25_000);
    expect(viewer.texts.filter(({ type }) => type === 'error')).to.have.length(10_001);
  });

  it('comes with 1001 when the service stops, also beside a client that reads nothing', async () => {
    const other = await startWorld();
    await other.api.createPhone({ name: 'watched' });
    const open = () => LiveClient.open(other.mesh.url, 'watched', { authorization: `Bearer ${other.key}` });
    const [viewer, deaf] = [await open(), await open()];
    await Promise.all([viewer.frame(1), deaf.frame(1)]);
    deaf.ws.pause();
    await other.close();
    expect(await viewer.end()).to.include({ code: 1001 });
    deaf.close();
  });
});
