import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect } from 'chai';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../log/log.js';
import { Readiness } from '../ops/readiness.js';
import { servingAt } from './health.js';
import { listenRpc, type RpcListener } from './listen.js';
import { connectTo } from './transport.js';

const empty = { name: 'the empty service', contracts: [], interceptors: [], routes: () => undefined };

describe('grpc.health.v1', () => {
  let clock: FakeClock;
  let readiness: Readiness;
  let isAway: boolean;
  let listener: RpcListener;
  let url: string;
  let health: Client<typeof Health>;

  beforeEach(async () => {
    clock = new FakeClock();
    readiness = new Readiness({ clock, log: silentLog });
    isAway = false;
    readiness.needs('database', async () => {
      if (isAway) throw new Error('away');
    });
    listener = await listenRpc(empty, { host: '127.0.0.1', port: 0, guarded: false, readiness });
    url = `http://127.0.0.1:${listener.port}`;
    health = createClient(Health, createGrpcTransport({ baseUrl: url }));
  });

  afterEach(() => listener.close());

  async function status(service = ''): Promise<Status> {
    return (await health.check({ service })).status;
  }

  it('reports the readiness of the process and of each service', async () => {
    expect(await status()).to.equal(Status.NOT_SERVING);
    readiness.start();
    expect(await status()).to.equal(Status.SERVING);
    expect(await status('grpc.health.v1.Health')).to.equal(Status.SERVING);
    isAway = true;
    expect(await status()).to.equal(Status.NOT_SERVING);
    const { statuses } = await health.list({});
    expect(Object.values(statuses).map((one) => one.status)).to.deep.equal([Status.NOT_SERVING, Status.NOT_SERVING]);
    isAway = false;
    expect(await status()).to.equal(Status.SERVING);
    readiness.stop();
    expect(await status()).to.equal(Status.NOT_SERVING);
  });

  it('does not know other services', async () => {
    const refusal = await status('cloudphone.Unknown').catch((error: unknown) => ConnectError.from(error).code);
    expect(refusal).to.equal(Code.NotFound);
  });

  it('notifies watchers of each change, and forgets them when they leave', async () => {
    const leave = new AbortController();
    const watched = health.watch({}, { signal: leave.signal })[Symbol.asyncIterator]();
    const next = async (): Promise<Status> => ((await watched.next()).value as { status: Status }).status;
    expect(await next()).to.equal(Status.NOT_SERVING);
    readiness.start();
    expect(await next()).to.equal(Status.SERVING);
    isAway = true;
    let change = next();
    await turnUntil(change);
    expect(await change).to.equal(Status.NOT_SERVING);
    isAway = false;
    change = next();
    await turnUntil(change);
    expect(await change).to.equal(Status.SERVING);
    readiness.stop();
    expect(await next()).to.equal(Status.NOT_SERVING);
    leave.abort();
    await watched.next().catch(() => undefined);
    for (let turns = 0; clock.timers > 0; turns++) {
      if (turns > 10_000) throw new Error('it still checks without a watcher');
      clock.turn(1_000);
      await settled();
    }
  });

  it('is used by a service that needs this one', async () => {
    const check = servingAt(connectTo({ url, service: 'the empty service', meshToken: undefined }));
    const signal = new AbortController().signal;
    const refusal = (): Promise<unknown> => check(signal).catch(String);
    expect(await refusal()).to.equal('Error: its health is NOT_SERVING');
    readiness.start();
    expect(await refusal()).to.equal(undefined);
    await listener.close();
    expect(await refusal()).to.contain('The empty service');
  });

  async function turnUntil(change: Promise<unknown>): Promise<void> {
    const still = {};
    while ((await Promise.race([change, settled().then(() => still)])) === still) clock.turn(1_000);
  }
});
