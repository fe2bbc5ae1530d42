import { request } from 'node:http';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors/api-error.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { JobKind, JobState } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { FakeClock } from '../testing/fake-clock.js';
import { rpc, type RpcResponse, toolCall } from '../testing/mcp-client.js';
import { until } from '../testing/until.js';
import { EDGE_LIMITS, type EdgeLimits } from './limits.js';

/** Ten times what is allowed. */
const TEN_BODIES = 10 * 1024 * 1024;
const TEN_DEPTHS = 330;

const SHARE = 'sh_abc';

/** A key, and the token of a share. */
const authenticate: Authenticate = async (authorization) => {
  const caller = { accountId: 'acc_1', keyId: 'key_1', scope: Scope.CONTROL, allDevices: true };
  if (authorization === `Bearer ${CONTROL_KEY}`) return create(CallerSchema, caller);
  if (authorization === `Bearer ${SHARE}`) return create(CallerSchema, { ...caller, sharedPhoneId: 'phone_1' });
  throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
};

describe('MCP at the edge refuses', () => {
  let world: EdgeWorld;
  let calls = 0;
  const open = (limits: Partial<EdgeLimits> = {}, clock?: FakeClock): Promise<EdgeWorld> => {
    const job = { id: 'job_1', kind: JobKind.START, device: 'demo', state: JobState.RUNNING };
    const wait = (signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const device = {
      listDevices: () => {
        calls++;
        return { devices: [] };
      },
      startDevice: () => ({ job }),
    };
    const screen = { act: (_request: unknown, { signal }: { signal: AbortSignal }) => (calls++, wait(signal)) };
    return startEdge(
      { device, screen, job: { getJob: () => ({ job: { ...job, state: JobState.DONE } }) } },
      { authenticate, limits, ...(clock && { clock }) },
    );
  };
  before(async () => (world = await open()));
  after(() => world.close());
  beforeEach(() => (calls = 0));

  const post = (body: string, headers: Record<string, string> = {}, to = world): Promise<Response> =>
    to.call('/mcp', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
  /** The status of a refusal, and its text, which is that of JSON-RPC. */
  const refusal = async (sent: Promise<Response>): Promise<{ status: number; text: string; headers: Headers }> => {
    const response = await sent;
    const { error } = (await response.json()) as RpcResponse;
    return { status: response.status, text: error?.message ?? '', headers: response.headers };
  };

  describe('methods', () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      it(`such as ${method}, with what to do`, async () => {
        const headers = { accept: 'text/event-stream, text/html', origin: 'https://evil.example' };
        const { status, text, headers: sent } = await refusal(world.call('/mcp', { method, headers }));
        expect(status).to.equal(405);
        expect(sent.get('allow')).to.equal('POST');
        expect(text).to.include('Send each message by POST');
        // No page of another site is let in.
        expect([...sent.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
      });
    }
  });

  describe('credentials', () => {
    const LIST = rpc('tools/list');

    for (const [kind, headers] of [
      ['no key', { authorization: '' }],
      ['a cookie', { authorization: '', cookie: 'cp_session=abc; __Host-cp_session=abc' }],
    ] as const) {
      it(`such as ${kind}`, async () => {
        const to = new Headers({ 'content-type': 'application/json', ...headers });
        to.delete('authorization');
        const { status, text, headers: sent } = await refusal(fetch(`${world.base}/mcp`, { method: 'POST', body: LIST, headers: to })); // prettier-ignore
        expect({ status, scheme: sent.get('www-authenticate') }).to.deep.equal({ status: 401, scheme: 'Bearer' });
        expect(text).to.include('Authorization: Bearer <API key>');
      });
    }

    it('in the URL', async () => {
      const url = `${world.base}/mcp?key=${CONTROL_KEY}&authorization=Bearer%20${CONTROL_KEY}`;
      const headers = { 'content-type': 'application/json' };
      expect((await refusal(fetch(url, { method: 'POST', body: LIST, headers }))).status).to.equal(401);
    });

    for (const [authorization, challenge] of [
      ['Bearer cp_revoked', 'Bearer error="invalid_token"'],
      [`Bearer ${SHARE}`, 'Bearer error="invalid_token"'],
      [`Bearer ${'a'.repeat(10_000)}`, 'Bearer error="invalid_token"'],
      [`Session ${CONTROL_KEY}`, 'Bearer'],
      ['Basic YTpi', 'Bearer'],
      ['Bearer', 'Bearer'],
    ] as const)
      it(`such as ${authorization.slice(0, 30)}`, async () => {
        const { status, headers } = await refusal(post(LIST, { authorization }));
        expect({ status, challenge: headers.get('www-authenticate') }).to.deep.equal({ status: 401, challenge });
      });

    it('at a rate', async () => {
      const few = await open({ maxAnonymousRequests: 3 });
      const statuses: number[] = [];
      for (let at = 0; at < 30; at++)
        statuses.push((await post(LIST, { authorization: `Bearer cp_${at}` }, few)).status);
      expect(statuses).to.deep.equal([...Array<number>(3).fill(401), ...Array<number>(27).fill(429)]);
      await few.close();
    });
  });

  describe('pages of other sites', () => {
    const LIST = rpc('tools/list');

    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
    ])
      it(`as ${JSON.stringify(headers)} shows them`, async () => {
        const { status, text } = await refusal(post(LIST, headers));
        expect(status).to.equal(403);
        expect(text).to.include('Pages of other sites');
      });

    it('under a name that they gave this address', async () => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          host: 'evil.example',
          authorization: `Bearer ${CONTROL_KEY}`,
          'content-type': 'application/json',
        };
        const sent = request(`${world.base}/mcp`, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end(LIST);
      });
      expect(status).to.equal(403);
    });

    it('but not its own', async () => {
      expect((await post(LIST, { origin: world.base })).status).to.equal(200);
      expect((await post(LIST, { 'sec-fetch-site': 'same-origin' })).status).to.equal(200);
    });
  });

  describe('bodies', () => {
    for (const [kind, body, status, text] of [
      ['ten times too large', `"${'a'.repeat(TEN_BODIES)}"`, 413, /larger than the 1048576 bytes/],
      ['nested ten times too deep', rpc('tools/call', JSON.parse('{"a":'.repeat(TEN_DEPTHS) + '1' + '}'.repeat(TEN_DEPTHS))), 400, /nested deeper than 33/], // prettier-ignore
      ['with a thousand calls', `[${Array<string>(1_000).fill(toolCall('list_devices')).join(',')}]`, 400, /one message in each request/], // prettier-ignore
      ['with an empty batch', '[]', 400, /one message in each request/],
      ['that are a number', '7', 400, /must be one JSON-RPC message/],
      ['that are no JSON', '{"jsonrpc":', 400, /not valid JSON/],
      ['that name a thing twice', '{"method":"ping","method":"tools/list"}', 400, /given twice/],
      ['that are no message of JSON-RPC', '{"method":7}', 400, /Invalid JSON-RPC message/],
      [
        'with an id that is ten times too long',
        toolCall('list_devices', {}, 'i'.repeat(2_560)),
        400,
        /at most 256 characters/,
      ],
    ] as const)
      it(kind, async () => {
        const refused = await refusal(post(body));
        expect(refused.text).to.match(text);
        expect(refused.status).to.equal(status);
        expect(calls).to.equal(0);
      });

    it('that are empty, or of another type', async () => {
      expect((await refusal(post(''))).text).to.include('must be one JSON-RPC message');
      expect((await refusal(post(rpc('ping'), { 'content-type': 'text/plain' }))).status).to.equal(415);
    });

    it('but not names that mean something in JavaScript, which have no effect', async () => {
      const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices","arguments":{"__proto__":{"state":"a"}}}}'; // prettier-ignore
      const { result } = (await (await post(call)).json()) as RpcResponse;
      expect(result?.content[0]?.text).to.equal('{"devices":[]}');
      expect({}).not.to.have.property('state');
    });
  });

  describe('headers', () => {
    for (const [kind, headers, status] of [
      ['Accept without JSON', { accept: 'text/html' }, 406],
      ['Accept of streams alone', { accept: 'text/event-stream' }, 406],
      ['a version of the protocol that is not known', { 'mcp-protocol-version': '1999-01-01' }, 400],
      ['a session with a blank', { 'mcp-session-id': 'a b' }, 400],
      ['a session that is ten times too long', { 'mcp-session-id': 'a'.repeat(640) }, 400],
    ] as const)
      it(kind, async () => expect((await refusal(post(rpc('tools/list'), headers))).status).to.equal(status));

    it('but not an Accept of everything, nor versions that are known', async () => {
      expect((await post(rpc('tools/list'), { accept: '*/*' })).status).to.equal(200);
      for (const version of ['2025-03-26', '2025-06-18', '2025-11-25'])
        expect((await post(rpc('tools/list'), { 'mcp-protocol-version': version })).status, version).to.equal(200);
      const first = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      const { result } = (await (await post(rpc('initialize', first))).json()) as RpcResponse;
      expect(result?.['protocolVersion']).to.match(/^2025-/);
    });
  });

  it('methods and tools that it does not have, in a response', async () => {
    const ask = async (body: string): Promise<RpcResponse> => (await (await post(body)).json()) as RpcResponse;
    expect((await ask(rpc('resources/list'))).error).to.include({ code: -32_601 });
    expect((await ask(rpc('x'.repeat(100_000)))).error).to.deep.equal({ code: -32_601, message: 'Method not found' });
    const { error } = await ask(toolCall('reboot'));
    expect(error?.message).to.include('There is no tool "reboot"').and.include('restart_device');
  });

  describe('too many requests of a key', () => {
    it('with the result of a call, which a model reads, and with 429 for the rest', async () => {
      const few = await open({ maxKeyRequests: 3 });
      // All are sent at once, ten times as many as may be.
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, at) => post(toolCall('list_devices', {}, at), {}, few)),
      );
      expect(responses.map(({ status }) => status)).to.deep.equal(Array<number>(30).fill(200));
      const results = await Promise.all(responses.map(async (one) => (await one.json()) as RpcResponse));
      expect(results.map(({ id }) => id)).to.deep.equal(results.map((_, at) => at));
      const refused = results.filter(({ result }) => result?.isError === true);
      expect(refused).to.have.length(27);
      for (const { result } of refused)
        expect(result?.content[0]?.text).to.match(
          /^rate_limited: More than 3 requests a minute for this key\. Try again in \d+ s\.$/,
        );
      expect(calls).to.equal(3);

      const list = await refusal(post(rpc('tools/list'), {}, few));
      expect(list).to.include({ status: 429 });
      expect(list.headers.get('retry-after')).to.match(/^\d+$/);
      // A long message is refused unread.
      expect((await post(toolCall('act', { text: 'a'.repeat(20_000) }), {}, few)).status).to.equal(429);
      await few.close();
    });

    it('and counts a call as the requests that it makes, and as one where it makes none', async () => {
      const few = await open({ maxKeyRequests: 1_000 });
      const remaining = async (body: string): Promise<number> =>
        1_000 - Number((await post(body, {}, few)).headers.get('ratelimit-remaining'));
      expect(await remaining(rpc('tools/list'))).to.equal(1);
      expect(await remaining(toolCall('list_devices'))).to.equal(2);
      expect(await remaining(toolCall('list_devices', { colour: 'red' }))).to.equal(3);
      // One begins the job, and one waits for it.
      expect(await remaining(toolCall('start_device', { device: 'demo' }))).to.equal(4);
      expect(await remaining(rpc('ping'))).to.equal(6);
      await few.close();
    });

    it('while a call waits for a job, with the id of the job that goes on', async () => {
      const few = await open({ maxKeyRequests: 1 });
      const { result } = (await (
        await post(toolCall('start_device', { device: 'demo' }), {}, few)
      ).json()) as RpcResponse;
      expect(result?.content[0]?.text).to.equal(
        'start of demo is still running, 0 % done. Wait for it with get_job, id "job_1".',
      );
      await few.close();
    });

    it('for a device, over all keys', async () => {
      const few = await open({ maxDeviceRequests: 1, maxKeyRequests: 100 });
      const texts: (string | undefined)[] = [];
      for (let at = 0; at < 2; at++) {
        const { result } = (await (
          await post(toolCall('start_device', { device: 'demo' }), {}, few)
        ).json()) as RpcResponse;
        texts.push(result?.content[0]?.text);
      }
      expect(texts[1]).to.match(/^rate_limited: More than 1 requests a minute for this device\. Try again in \d+ s\.$/);
      await few.close();
    });

    it('but takes a cancellation all the same', async () => {
      const few = await open({ maxKeyRequests: 1 });
      const session = { 'mcp-session-id': 'one' };
      const call = post(toolCall('act', { device: 'demo', steps: [{ key: 'home' }] }, 5), session, few);
      await until(() => calls === 1);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
      expect((await post(JSON.stringify(cancel), session, few)).status).to.equal(202);
      expect((await call).status).to.equal(202);
      await few.close();
    });

    it('that are under way at the same time', async () => {
      const few = await open({ maxRequestsUnderWay: 2 });
      const gone = new AbortController();
      const act = (): Promise<Response> =>
        few.call('/mcp', {
          method: 'POST',
          body: toolCall('act', { device: 'demo', steps: [{ key: 'home' }] }),
          headers: { 'content-type': 'application/json' },
          signal: gone.signal,
        });
      const waiting = [act().catch(String), act().catch(String)];
      await until(() => calls === 2);
      expect(await refusal(post(rpc('ping'), {}, few))).to.include({ status: 429 });
      gone.abort();
      await Promise.all(waiting);
      await until(async () => (await post(rpc('ping'), {}, few)).status === 200);
      await few.close();
    });
  });

  it('to wait for longer than a request may last, by a status or in the stream', async () => {
    const clock = new FakeClock();
    const patient = await open({}, clock);
    const call = { name: 'act', arguments: { device: 'demo', steps: [{ key: 'home' }] } };
    const late = refusal(post(rpc('tools/call', call), {}, patient));
    await until(() => calls === 1);
    await clock.pass(EDGE_LIMITS.callTimeoutMs);
    expect(await late).to.include({ status: 504, text: 'There was no response within 65 s. Try again.' });
    const stream = await post(rpc('tools/call', { ...call, _meta: { progressToken: 1 } }), {}, patient);
    expect(stream.headers.get('content-type')).to.equal('text/event-stream');
    await until(() => calls === 2);
    await clock.pass(EDGE_LIMITS.callTimeoutMs);
    expect(await stream.text()).to.match(/^event: message\ndata: \{.*"id":1,"error":\{.*no response within 65 s/);
    await patient.close();
  });
});
