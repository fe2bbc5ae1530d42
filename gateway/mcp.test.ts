import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { pino } from 'pino';
import { JobKind, JobState } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import { CONTROL_KEY, type EdgeWorld, READ_KEY, startEdge } from '../testing/edge-world.js';
import { connectMcp, rpc, type RpcResponse, toolCall } from '../testing/mcp-client.js';
import { until } from '../testing/until.js';
import { readGatewayConfig } from './config.js';

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3]);

/** A call of the fake service that lasts until its client goes. */
interface LongCall {
  name: string;
  signal: AbortSignal;
}

describe('MCP at the edge', () => {
  let world: EdgeWorld;
  let client: Client;
  const lines: string[] = [];
  const calls: string[] = [];
  const long: LongCall[] = [];
  /** What the next requests for the job find. */
  let progress: number[] = [];

  before(async () => {
    const job = { id: 'job_1', kind: JobKind.START, device: 'demo' };
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    world = await startEdge(
      {
        device: {
          listDevices: () => {
            calls.push('listDevices');
            return { devices: [{ name: 'demo' }] };
          },
          startDevice: ({ name }) => {
            calls.push(`startDevice ${name}`);
            return { job: { ...job, state: JobState.RUNNING } };
          },
        },
        job: {
          getJob: () => {
            const found = progress.shift() ?? 100;
            return { job: { ...job, progress: found, state: found === 100 ? JobState.DONE : JobState.RUNNING } };
          },
        },
        screen: {
          getScreenshot: () => ({ image: { contentType: 'image/jpeg', data: JPEG, etag: '"a"' } }),
          getLogs: () => ({
            text: { contentType: 'text/plain; charset=utf-8', data: new TextEncoder().encode('é\n') },
          }),
          act: ({ name }, { signal }) =>
            new Promise((_resolve, reject) => {
              long.push({ name, signal });
              signal.addEventListener('abort', () => reject(new Error('aborted')));
            }),
        },
      },
      { log },
    );
    client = await connectMcp(world.base, CONTROL_KEY);
  });
  after(async () => {
    await client.close();
    await world.close();
  });
  beforeEach(() => {
    lines.length = calls.length = long.length = 0;
    progress = [];
  });

  const post = (body: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
    world.call('/mcp', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(signal && { signal }),
    });
  const textOf = (result: unknown): string =>
    (result as CallToolResult).content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
  const act = { device: 'demo', steps: [{ key: 'home' }] };

  it("serves the SDK's own client", async () => {
    expect(client.getServerVersion()).to.include({ name: 'cloudphone' });
    expect(client.getInstructions()).to.include('observe');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['observe', 'act', 'list_devices', 'delete_device']);
    expect(textOf(await client.callTool({ name: 'list_devices', arguments: {} }))).to.include('"name":"demo"');
    expect(calls).to.deep.equal(['listDevices']);
    await client.ping();
  });

  it('has the pictures and texts of the API in its results', async () => {
    const result = (await client.callTool({ name: 'screenshot', arguments: { device: 'demo' } })) as CallToolResult;
    expect(result.content).to.deep.equal([
      { type: 'image', mimeType: 'image/jpeg', data: Buffer.from(JPEG).toString('base64') },
    ]);
    expect(textOf(await client.callTool({ name: 'get_logs', arguments: { device: 'demo' } }))).to.equal('é\n');
    const unknown = await client.callTool({ name: 'get_job', arguments: { id: 'job_1', colour: 'red' } });
    expect(textOf(unknown)).to.match(/^get_job has no argument "colour"/);
    expect(textOf(await client.callTool({ name: 'stop_device', arguments: { device: 'x/../y' } }))).to.equal(
      'not_found: There is no such thing.',
    );
  });

  it('responds with JSON, and with a stream only where progress is to be reported', async () => {
    const plain = await post(toolCall('list_devices'));
    expect(plain.headers.get('content-type')).to.match(/^application\/json/);
    expect(plain.headers.get('cache-control')).to.equal('no-store');
    const params = { name: 'list_devices', arguments: {}, _meta: { progressToken: 1 } };
    const stream = await post(rpc('tools/call', params));
    expect(Object.fromEntries(stream.headers)).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(await stream.text()).to.match(/^event: message\ndata: \{"result":.*"id":1\}\n\n$/);
    const noStream = await post(rpc('tools/call', params), { accept: 'application/json' });
    expect(noStream.headers.get('content-type')).to.match(/^application\/json/);
  });

  it('reports the progress of jobs', async () => {
    progress = [20, 60];
    const seen: (string | undefined)[] = [];
    const onprogress = ({ progress: now, message }: { progress: number; message?: string | undefined }): void =>
      void seen.push(`${now} ${message ?? ''}`);
    const call = { name: 'start_device', arguments: { device: 'demo' } };
    expect(textOf(await client.callTool(call, undefined, { onprogress }))).to.equal('start of demo: done.');
    expect(seen.map((text) => text?.split(' ')[0])).to.deep.equal(['0', '20', '60', '100']);
    expect(seen[0]).to.equal('0 start of demo: running');
  });

  it('shows a read-only key the tools that it may use, and refuses the others in words', async () => {
    const reader = await connectMcp(world.base, READ_KEY);
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name))
      .to.include.members(['observe', 'screenshot', 'list_devices', 'get_job'])
      .and.not.include.members(['act']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
    const refused = (await reader.callTool({ name: 'start_device', arguments: { device: 'demo' } })) as CallToolResult;
    expect(refused.isError).to.equal(true);
    expect(textOf(refused)).to.equal('forbidden: This key is read-only. Use a key with scope control.');
    expect(calls).to.deep.equal([]);
    await reader.close();
  });

  it('counts, logs and measures what a tool does as requests to the API, with one id', async () => {
    await post(toolCall('list_devices'), { 'x-request-id': 'one-call' });
    const logged = () => lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === 'one-call');
    await until(() => logged().length === 2);
    expect(logged().map(({ method, route, status, key_id: key }) => [method, route, status, key])).to.deep.equal([
      ['GET', '/v1/devices', 200, 'key_1'],
      ['POST', '/mcp', 200, 'key_1'],
    ]);
    expect(lines.join('')).not.to.include(CONTROL_KEY);
    const metrics = await world.metrics.metrics();
    expect(metrics).to.match(/http_request_duration_seconds_count\{method="POST",route="\/mcp",status="200"\} \d/);
    expect(metrics).to.match(
      /http_request_duration_seconds_count\{method="GET",route="\/v1\/devices",status="200"\} \d/,
    );
  });

  it('ends the work of a call whose client hangs up', async () => {
    for (const stream of [{}, { _meta: { progressToken: 1 } }]) {
      long.length = 0;
      const gone = new AbortController();
      const call = rpc('tools/call', { name: 'act', arguments: act, ...stream });
      const response = post(call, {}, gone.signal).then((begun) => begun.text());
      const failed = response.then(String, () => 'failed');
      await until(() => long.length === 1);
      expect(long[0]!.signal.aborted).to.equal(false);
      gone.abort();
      await until(() => long[0]!.signal.aborted);
      expect(await failed).to.equal('failed');
    }
  });

  it('ends the work of a call that its client cancels, and of no other', async () => {
    const other = await connectMcp(world.base, CONTROL_KEY);
    const aborts = [new AbortController(), new AbortController()];
    const begin = (from: Client, at: number): Promise<string> =>
      from
        .callTool({ name: 'act', arguments: { ...act, device: `phone-${at}` } }, undefined, {
          signal: aborts[at]!.signal,
        })
        .then(textOf, String);
    const results = [begin(client, 0), begin(other, 1)];
    await until(() => long.length === 2);
    const phone = (name: string): LongCall => long.find((call) => call.name === name)!;
    aborts[0]!.abort('the user stopped it');
    await until(() => phone('phone-0').signal.aborted);
    expect(await results[0]).to.include('the user stopped it');
    expect(phone('phone-1').signal.aborted).to.equal(false);
    aborts[1]!.abort('too');
    await until(() => phone('phone-1').signal.aborted);
    await results[1];
    await other.close();
  });

  it('cancels by the name of the client and the id of the request alone', async () => {
    const session = (await post(rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } }))).headers.get('mcp-session-id')!; // prettier-ignore
    expect(session).to.match(/^[\w-]{36}$/);
    const own = { 'mcp-session-id': session };
    const call = post(toolCall('act', act, 0), own);
    await until(() => long.length === 1);
    const cancel = (requestId: string | number, headers: Record<string, string>): Promise<Response> =>
      post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }), headers);
    for (const [id, headers] of [
      [1, own],
      ['0', own],
      [0, {}],
      [0, { 'mcp-session-id': 'another' }],
    ] as const) {
      const other = await cancel(id, headers);
      expect({ status: other.status, text: await other.text() }).to.deep.equal({ status: 202, text: '' });
    }
    expect(long[0]!.signal.aborted).to.equal(false);
    expect((await cancel(0, own)).status).to.equal(202);
    const cancelled = await call;
    expect({ status: cancelled.status, text: await cancelled.text() }).to.deep.equal({ status: 202, text: '' });
    expect(long[0]!.signal.aborted).to.equal(true);
  });

  it('keeps nothing between messages, so that any edge serves any of them', async () => {
    const stranger = { 'mcp-session-id': 'of-an-edge-that-is-gone', 'mcp-protocol-version': '2025-06-18' };
    const response = (await (await post(toolCall('list_devices'), stranger)).json()) as RpcResponse;
    expect(response.result?.content[0]?.text).to.include('demo');
    const note = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect({ status: note.status, text: await note.text() }).to.deep.equal({ status: 202, text: '' });
    const transport = client.transport as StreamableHTTPClientTransport;
    // The client ends its session by DELETE, and takes 405 for a server that has none.
    await transport.terminateSession();
  });
});

describe('MCP at an edge that is switched off', () => {
  it('is not there', async () => {
    const world = await startEdge({}, { mcp: false });
    expect(readGatewayConfig({ MCP: 'off' }, false).mcp).to.equal(false);
    expect(readGatewayConfig({}, false).mcp).to.equal(true);
    for (const init of [{ method: 'POST', body: rpc('ping') }, { headers: { accept: 'text/html' } }])
      expect((await world.call('/mcp', init)).status).to.equal(404);
    await world.close();
  });
});
