import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { ApiError } from '../../kit/errors/api-error.js';
import { CONTROL_KEY, type EdgeWorld, type FakeServices, READ_KEY, startEdge } from '../../testing/edge-world.js';
import { until } from '../../testing/until.js';

/** What the buffers of a connection on loopback may hold in the system, both sides together, bytes. */
const SYSTEM_BYTES = 12 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 7);

describe('a WebSocket of bytes', () => {
  let edge: EdgeWorld | undefined;
  let over: () => void = () => undefined;
  afterEach(async () => {
    over();
    await edge?.close();
    edge = undefined;
  });

  async function open(
    connectAdb: NonNullable<FakeServices['relay']>['connectAdb'],
    key = CONTROL_KEY,
  ): Promise<WebSocket> {
    edge = await startEdge({ relay: { ...(connectAdb !== undefined && { connectAdb }) } });
    const headers = { authorization: `Bearer ${key}` };
    const ws = new WebSocket(`${edge.base.replace('http', 'ws')}/v1/devices/demo/adb/connect`, { headers });
    over = () => ws.terminate();
    await once(ws, 'open');
    return ws;
  }
  const opened = { message: { case: 'data' as const, value: new Uint8Array() } };
  const forever = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  const closed = async (ws: WebSocket): Promise<[number, string]> => {
    const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
    return [code, reason.toString()];
  };

  it('carries bytes both ways in order, and closes as its service does', async () => {
    const ws = await open(async function* (requests) {
      let isFirst = true;
      for await (const { name, data } of requests) {
        if (isFirst) {
          expect([name, data]).to.deep.equal(['demo', undefined]);
          yield opened;
        } else if (data !== undefined && data.length > 0) {
          yield { message: { case: 'data', value: data } };
          if (data.at(-1) === 9) break;
        }
        isFirst = false;
      }
      yield { message: { case: 'close', value: { code: 4403, reason: 'forbidden: It was turned off.' } } };
    });
    const got: Buffer[] = [];
    ws.on('message', (piece: Buffer, isBinary) => got.push(isBinary ? piece : Buffer.from('text')));
    for (const text of ['one', 'two', '', 'three']) ws.send(Buffer.from(text));
    ws.send(Buffer.from([9]));
    expect(await closed(ws)).to.deep.equal([4403, 'forbidden: It was turned off.']);
    // The first message only reports that the stream is open.
    expect(Buffer.concat(got).toString()).to.equal('onetwothree\t');
  });

  it('reads no more of a client than its service takes', async () => {
    let taken = 0;
    const ws = await open(async function* (requests, { signal }) {
      const iterator = requests[Symbol.asyncIterator]();
      await iterator.next();
      yield opened;
      for (; taken < 3; taken++) await iterator.next();
      await forever(signal);
    });
    let sentBytes = 0;
    for (let count = 0; count < 2_000; count++) ws.send(PIECE, () => (sentBytes += PIECE.length));
    let lastBytes = -1;
    await until(async () => {
      const isStill = sentBytes > 0 && sentBytes === lastBytes;
      lastBytes = sentBytes;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isStill;
    });
    expect(taken).to.equal(3);
    expect(sentBytes).to.be.lessThan(SYSTEM_BYTES);
  });

  it('reads no more of its service than the client takes', async () => {
    let yieldedBytes = 0;
    const ws = await open(async function* () {
      yield opened;
      for (let count = 0; count < 2_000; count++) {
        yieldedBytes += PIECE.length;
        yield { message: { case: 'data' as const, value: PIECE } };
      }
    });
    ws.pause();
    let lastBytes = -1;
    await until(async () => {
      const isStill = yieldedBytes > 0 && yieldedBytes === lastBytes;
      lastBytes = yieldedBytes;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isStill;
    });
    expect(yieldedBytes).to.be.lessThan(SYSTEM_BYTES);
    let gotBytes = 0;
    ws.on('message', (piece: Buffer) => (gotBytes += piece.length));
    ws.resume();
    await closed(ws);
    expect(gotBytes).to.equal(2_000 * PIECE.length);
  });

  it('ends the stream of a client that leaves, and is closed for a failure of its service', async () => {
    let hasLeft = false;
    const ws = await open(async function* (_requests, { signal }) {
      yield opened;
      await forever(signal);
      hasLeft = true;
    });
    ws.terminate();
    await until(() => hasLeft);
    await edge?.close();
    const failing = await open(async function* () {
      yield opened;
      throw new ApiError('unavailable', 'The phone is away.');
    });
    expect(await closed(failing)).to.deep.equal([1013, 'unavailable: The phone is away.']);
  });

  it('is refused by an ordinary response before the first message of its service', async () => {
    edge = await startEdge({
      relay: {
        // eslint-disable-next-line require-yield -- it is refused before its first message
        connectAdb: async function* () {
          throw new ApiError('busy', 'The relay is off.');
        },
      },
    });
    const url = `${edge.base}/v1/devices/demo/adb/connect`;
    const statusOf = async (key: string): Promise<number> => {
      const ws = new WebSocket(url.replace('http', 'ws'), { headers: { authorization: `Bearer ${key}` } });
      ws.on('error', () => undefined);
      const [, response] = (await once(ws, 'unexpected-response')) as [unknown, { statusCode: number }];
      ws.terminate();
      return response.statusCode;
    };
    expect(await statusOf(CONTROL_KEY)).to.equal(409);
    expect(await statusOf(READ_KEY)).to.equal(403);
    expect((await edge.call('/v1/devices/demo/adb/connect')).status).to.equal(400);
  });
});
