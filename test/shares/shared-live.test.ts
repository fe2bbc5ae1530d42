import { create, type Message } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { WebSocket } from 'ws';
import { gatewayOver } from '../../gateway/gateway-over.js';
import { createJsonDecoders } from '../../gateway/json/decode.js';
import { parseJson } from '../../gateway/json/parse.js';
import { exampleOf } from '../../reference/document/examples.js';
import { systemClock } from '../../kit/async/clock.js';
import type { ApiError } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { until } from '../../testing/until.js';
import { operator, signIn, signUp } from '../access/people.js';
import { LiveClient, Refused } from '../live/live-client.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

/** How long a live screen may go on after its share has ended, ms. The contract says 5 s; a busy machine may take longer. */
const CLOSED_MS = 15_000;

/** Presses the home key. Unlike a tap, this needs no place on a picture. */
const PRESS_HOME = { events: [{ key: { name: 'home' } }] };

describe('a live screen that is opened with a share', function () {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'demo' });
    await world.api.createPhone({ name: 'other' });
  });
  after(() => world.close());

  const opened: LiveClient[] = [];
  afterEach(async () => {
    for (const viewer of opened.splice(0)) {
      viewer.close();
      await viewer.end();
    }
  });

  async function share(access = 'read', api = world.api, name = 'demo'): Promise<{ id: string; token: string }> {
    const { body } = await api.post(`/v1/devices/${name}/shares`, { access });
    return { id: body.share.id, token: body.share.url.split('#')[1] };
  }

  async function watch(token: string, { name = 'demo', url = world.mesh.url, query = '' } = {}): Promise<LiveClient> {
    const viewer = await LiveClient.open(url, name, { authorization: `Bearer ${token}` }, query);
    opened.push(viewer);
    return viewer;
  }

  const refusal = (opening: Promise<unknown>): Promise<Refused> =>
    opening.then(
      () => {
        throw new Error('it was not refused');
      },
      (error: unknown) => {
        if (error instanceof Refused) return error;
        throw error;
      },
    );

  /** Opens the live screen as a page does. Browsers let pages set no header except the protocols. */
  function asPage(token: string, origin?: string): Promise<{ ws: WebSocket; status: number }> {
    const ws = new WebSocket(
      `${world.mesh.url.replace('http', 'ws')}/v1/devices/demo/live`,
      ['cloudphone.share', token],
      origin === undefined ? {} : { headers: { origin } },
    );
    return new Promise((resolve) => {
      ws.once('open', () => resolve({ ws, status: 101 }));
      ws.once('error', () => undefined);
      ws.once('unexpected-response', (_request, response) => {
        response.resume();
        resolve({ ws, status: response.statusCode ?? 0 });
      });
    });
  }

  it('is counted among the viewers of the phone, by share, as long as it is open', async () => {
    const viewers = async () => (await world.api.get('/v1/devices/demo/viewers')).body.viewers;
    await until(async () => (await viewers()).length === 0);
    const [one, other] = [await share(), await share()];
    const first = await watch(one.token);
    await watch(one.token);
    await watch(other.token);
    const key = await LiveClient.open(world.mesh.url, 'demo', { authorization: `Bearer ${world.key}` });
    opened.push(key);
    await until(async () => (await viewers()).length === 3);
    const [own, ...shared] = await viewers();
    expect(own).to.include({ count: 1 }).and.not.to.have.property('share');
    expect(shared.map(({ share: id, count }: { share: string; count: number }) => [id, count])).to.have.deep.members([
      [one.id, 2],
      [other.id, 1],
    ]);
    expect(Date.now() - Date.parse(own.since as string)).to.be.within(-1_000, 60_000);
    first.close();
    await until(async () => (await viewers()).every(({ count }: { count: number }) => count === 1));
    expect((await world.api.get('/v1/devices/other/viewers')).body).to.deep.equal({ viewers: [] });
    // A caller with a share may not see who else watches.
    const asViewer = new RestClient(world.mesh.url, one.token);
    expect((await asViewer.get('/v1/devices/demo/viewers')).status).to.equal(401);
  });

  it('shows the screen; touches are refused without access control, and the stream goes on', async () => {
    const viewer = await watch((await share('read')).token);
    await viewer.frame(1);
    viewer.tap(10, 10);
    viewer.send(PRESS_HOME);
    const first = await viewer.text('error');
    expect(first).to.deep.equal({ type: 'error', error: 'forbidden', message: 'This link is for watching only.' });
    await viewer.until(() => viewer.texts.filter(({ type }) => type === 'error')[1], 'second refusal');
    expect(viewer.closed).to.equal(undefined);
  });

  it('takes touches and text with access control, which the timeline shows as the share’s', async () => {
    await world.api.ask('PATCH', '/v1/devices/demo', { timeline: true });
    const { id, token } = await share('control');
    const viewer = await watch(token, { query: '?format=auto' });
    await viewer.frame(1);
    viewer.tap(100, 100);
    viewer.send({ events: [{ text: { text: 'hello' } }] });
    viewer.send(PRESS_HOME);
    const entries = async (): Promise<{ key: string; kind: string }[]> =>
      (await world.api.get(`/v1/devices/demo/timeline?key=${encodeURIComponent(`share ${id}`)}`)).body.entries;
    await until(async () => (await entries()).length > 0);
    expect((await entries())[0]).to.include({ kind: 'input', key: `share ${id}` });
    expect(viewer.texts.filter(({ type }) => type === 'error')).to.deep.equal([]);
  });

  it('shows no other device, and nothing for a wrong token', async () => {
    const { token } = await share('control');
    expect(await refusal(watch(token, { name: 'other' }))).to.include({ status: 404 });
    expect(await refusal(watch(token, { name: 'nothing' }))).to.include({ status: 404 });
    expect(await refusal(watch(`sh_${'a'.repeat(43)}`))).to.include({ status: 401 });
  });

  it('is all that a share may use at the services themselves, whatever the edge lets through', async () => {
    const { token } = await share('control');
    const headers = { authorization: `Bearer ${token}` };
    const closed = world.mesh.routes.filter(({ traits, scope }) => !traits.shares && scope !== Scope.PUBLIC);
    expect(closed.length).to.be.greaterThan(50);
    for (const { rpc, transport, deviceField } of closed) {
      const message = create(rpc.input);
      const example = {
        ...exampleOf(rpc.input, 'request'),
        ...(deviceField !== undefined && { [deviceField]: 'demo' }),
      };
      const decode = createJsonDecoders().decoderFor(rpc.input, new Set());
      decode(parseJson(JSON.stringify(example)) as Parameters<typeof decode>[0], message, '');
      const error: unknown = await (
        rpc.methodKind === 'unary'
          ? transport.unary(rpc, undefined, 10_000, headers, message)
          : transport.stream(rpc, undefined, 10_000, headers, once(message)).then(({ message: all }) => first(all))
      ).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect((error as ApiError | undefined)?.kind, `${rpc.toString()}: ${String(error)}`).to.equal('unauthorized');
    }
  });

  it('opens for a page of our own origin alone, with the token among the protocols, which no response repeats', async () => {
    const { token } = await share();
    const { ws, status } = await asPage(token, world.mesh.url);
    expect([status, ws.protocol]).to.deep.equal([101, 'cloudphone.share']);
    ws.terminate();
    for (const origin of ['https://evil.example', 'null']) {
      expect((await asPage(token, origin)).status, origin).to.equal(403);
    }
    expect((await asPage(`sh_${'a'.repeat(43)}`, world.mesh.url)).status).to.equal(401);
    expect((await asPage('sh_', world.mesh.url)).status).to.equal(401);
  });

  it('is closed with 1008 soon after the share was ended, also through another gateway', async () => {
    const { device, screen, relay, webhook } = world.mesh.grpc;
    const way = (address: string) =>
      connectTo({ url: `http://${address}`, service: 'a service', meshToken: undefined });
    const ways = { device: way(device), screen: way(screen), relay: way(relay), webhook: way(webhook) };
    const second = await gatewayOver({
      ...{ clock: systemClock, log: silentLog, metrics: new Registry(), ways, sharedDatabase: undefined },
    }).listen('127.0.0.1', 0);
    try {
      const { id, token } = await share();
      const url = `http://127.0.0.1:${second.port}`;
      const [here, there] = [await watch(token), await watch(token, { url })];
      await Promise.all([here.frame(1), there.frame(1)]);
      expect((await world.api.delete(`/v1/devices/demo/shares/${id}`)).status).to.equal(204);
      // The gateway that ended the share refuses it at once.
      expect((await world.api.as(token).get('/v1/share')).status).to.equal(401);
      for (const viewer of [here, there]) {
        const { code, reason } = await viewer.end(CLOSED_MS);
        expect(code).to.equal(1008);
        expect(reason).to.match(/^unauthorized: /);
      }
      await until(async () => (await world.api.as(token).get('/v1/share')).status === 401);
      const other = await fetch(`${url}/v1/share`, { headers: { authorization: `Bearer ${token}` } });
      expect(other.status).to.equal(401);
    } finally {
      await second.close();
    }
  });

  it('ends with the key that made the share, and with its rights', async () => {
    const panel = await signIn(world);
    const makers = [
      ['DELETE', undefined],
      ['PATCH', { scope: 'read' }],
      ['PATCH', { devices: ['other'] }],
    ] as const;
    for (const [method, body] of makers) {
      const key = (await panel.ask('POST', '/v1/keys', { name: 'maker', scope: 'control', devices: ['demo'] })).body
        .key;
      const { token } = await share('read', world.api.as(key.key));
      const viewer = await watch(token);
      await viewer.frame(1);
      await panel.ask(method, `/v1/keys/${key.id}`, body);
      expect((await viewer.end(CLOSED_MS)).code, method).to.equal(1008);
      expect((await world.api.as(token).get('/v1/share')).status).to.equal(401);
    }
  });

  it('ends with its device, and another device of the name is not shown', async () => {
    await world.api.createPhone({ name: 'brief' });
    const { token } = await share('read', world.api, 'brief');
    const viewer = await watch(token, { name: 'brief' });
    await viewer.frame(1);
    await world.api.done(await world.api.delete('/v1/devices/brief'));
    expect((await viewer.end(CLOSED_MS)).code).to.equal(4404);
    await world.api.createPhone({ name: 'brief' });
    expect(await refusal(watch(token, { name: 'brief' }))).to.include({ status: 401 });
    expect((await world.api.as(token).get('/v1/share')).status).to.equal(401);
    expect((await world.api.get('/v1/devices/brief/shares')).body.shares).to.deep.equal([]);
  });

  it('ends with its account, of which the viewer learns nothing', async () => {
    const email = 'ann@example.com';
    const panel = await signUp(world, email);
    await operator(world).creditAccount({ email, amount: '5.00' });
    const api = world.api.as(await panel.createKey());
    await api.createPhone({ name: 'hers' });
    const { token } = await share('read', api, 'hers');
    const viewer = await watch(token, { name: 'hers' });
    await viewer.frame(1);
    await operator(world).disableAccount({ email });
    const { code, reason } = await viewer.end(CLOSED_MS);
    expect([code, reason.includes('disabled')]).to.deep.equal([1008, false]);
  });

  it('has at most ten viewers with one share, on all gateways together, and room again when one leaves', async () => {
    const { token } = await share();
    const viewers = [];
    for (let count = 0; count < 10; count++) viewers.push(await watch(token));
    for (let count = 0; count < 10; count++) {
      const { status, body } = await refusal(watch(token));
      expect([status, body.error]).to.deep.equal([429, 'rate_limited']);
    }
    await watch((await share()).token);
    viewers[0]?.close();
    await until(() =>
      watch(token).then(
        () => true,
        () => false,
      ),
    );
  });
});

/** A stream of one message. */
async function* once(message: Message): AsyncGenerator<Message> {
  yield await Promise.resolve(message);
}

async function first(messages: AsyncIterable<Message>): Promise<Message | undefined> {
  for await (const message of messages) return message;
  return undefined;
}
