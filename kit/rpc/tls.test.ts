import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { GrpcClients, metadataOf, statusOf, unary } from '../../test/grpc/grpc-client.js';
import { systemClock } from '../async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { callOf } from './context.js';
import { serverInterceptors } from './interceptors.js';
import { listenRpc, type RpcListener } from './listen.js';
import type { RpcService } from './rpc-service.js';
import type { RpcTls } from './tls.js';
import { connectTo } from './transport.js';

describe('a gRPC port with a certificate', () => {
  let folder: string;
  let ours: Required<RpcTls>;
  let theirs: Required<RpcTls>;
  let listener: RpcListener | undefined;
  const clients = new GrpcClients();
  let seenAddress: string | undefined;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rpc-tls-'));
    ours = authority('ours');
    theirs = authority('theirs');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => listener?.close());
  after(() => clients.close());

  /** A new authority, and a certificate of it for 127.0.0.1. */
  function authority(name: string): Required<RpcTls> {
    const file = (suffix: string): string => join(folder, `${name}${suffix}`);
    const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...newKey, '-keyout', file('-ca.key'), '-out', file('-ca.pem'), '-subj', `/CN=${name}`);
    openssl('req', ...newKey, '-keyout', file('.key'), '-out', file('.csr'), '-subj', '/CN=service');
    writeFileSync(file('.ext'), 'subjectAltName=IP:127.0.0.1\n');
    const signing = ['-CA', file('-ca.pem'), '-CAkey', file('-ca.key'), '-CAcreateserial', '-extfile', file('.ext')];
    openssl('x509', '-req', '-in', file('.csr'), ...signing, '-out', file('.pem'), '-days', '2');
    const [cert, key, ca] = ['.pem', '.key', '-ca.pem'].map((suffix) => readFileSync(file(suffix), 'utf8'));
    return { cert: cert!, key: key!, ca: ca! };
  }

  /** An internal and a public contract, without a shared token unless one is given. */
  async function listen(tls: RpcTls, meshToken?: string, host = '127.0.0.1'): Promise<string> {
    const service: RpcService = {
      name: 'the service',
      contracts: [AccessService, AccountService, ModelService],
      routes: (router) =>
        router
          .service(AccessService, { listSubscribers: () => ({}) })
          .service(AccountService, {
            signUp: (_request, context) => {
              seenAddress = callOf(context).clientAddress;
              return {};
            },
          })
          .service(ModelService, { listModels: () => ({}) }),
      interceptors: serverInterceptors({
        log: silentLog,
        clock: systemClock,
        metrics: new Registry(),
        authenticate: () => Promise.reject(new ApiError('unauthorized', UNAUTHORIZED_MESSAGE)),
        meshToken,
      }),
    };
    listener = await listenRpc(service, { host, port: 0, guarded: meshToken !== undefined, tls });
    return `https://127.0.0.1:${listener.port}`;
  }

  const callInternal = (url: string, tls: RpcTls | undefined, meshToken?: string) =>
    createClient(AccessService, connectTo({ url, service: 'the service', meshToken, tls })).listSubscribers({});
  const kindOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'ok',
      (error: unknown) => (error instanceof ApiError ? error.kind : error),
    );

  it('serves internal rpcs to services with a certificate of the same authority, on any address', async () => {
    const url = await listen(ours, undefined, '0.0.0.0');
    expect(await kindOf(callInternal(url, ours))).to.equal('ok');
  });

  it('refuses internal rpcs without a client certificate, and with one of another authority', async () => {
    const url = await listen(ours);
    const anonymous = { ca: ours.ca } as RpcTls;
    expect(await kindOf(callInternal(url, anonymous))).to.equal('internal');
    expect(await kindOf(callInternal(url, { ...theirs, ca: ours.ca }))).to.equal('internal');
  });

  it('believes the client address of a service with a certificate alone, as sign-ups are limited by it', async () => {
    const url = await listen(ours);
    const signUp = async (tls: RpcTls): Promise<string | undefined> => {
      const account = { email: 'ada@example.com', password: 'correct horse battery' };
      const client = createClient(
        AccountService,
        connectTo({ url, service: 'the service', meshToken: undefined, tls }),
      );
      await client.signUp(account, { headers: { 'x-client-address': '192.0.2.1' } });
      return seenAddress;
    };
    expect(await signUp(ours)).to.equal('192.0.2.1');
    expect(await signUp({ ca: ours.ca } as RpcTls)).to.equal('127.0.0.1');
    expect(await signUp({ ...theirs, ca: ours.ca })).to.equal('127.0.0.1');
  });

  it('is not trusted by services of another authority', async () => {
    const url = await listen(ours);
    expect(await kindOf(callInternal(url, theirs))).to.equal('internal');
  });

  it('knows services of either authority while one replaces the other', async () => {
    const bundle = `${ours.ca}${theirs.ca}`;
    const url = await listen({ ...ours, ca: bundle });
    for (const own of [ours, theirs]) expect(await kindOf(callInternal(url, { ...own, ca: bundle }))).to.equal('ok');
    await listener?.close();
    const ofNext = await listen({ ...theirs, ca: bundle });
    for (const own of [ours, theirs]) expect(await kindOf(callInternal(ofNext, { ...own, ca: bundle }))).to.equal('ok');
  });

  it('lets clients from outside call public rpcs with a key and no certificate', async () => {
    const url = new URL(await listen(ours));
    const credentials = grpc.credentials.createSsl(Buffer.from(ours.ca));
    const file = 'cloudphone/device/v1/model_service.proto';
    const client = clients.client(file, 'cloudphone.device.v1.ModelService', url.host, credentials);
    expect(await statusOf(unary(client, 'listModels', {}, metadataOf('cp_wrong')))).to.equal(
      grpc.status.UNAUTHENTICATED,
    );
    const access = clients.client(
      'cloudphone/access/v1/access_service.proto',
      'cloudphone.access.v1.AccessService',
      url.host,
      credentials,
    );
    expect(await statusOf(unary(access, 'listSubscribers', {}, metadataOf(undefined)))).to.equal(
      grpc.status.PERMISSION_DENIED,
    );
  });

  it('without an authority of ours encrypts, and internal rpcs need the shared token', async () => {
    const { cert, key, ca } = ours;
    const url = await listen({ cert, key }, 'secret', '0.0.0.0');
    expect(await kindOf(callInternal(url, ours, 'secret'))).to.equal('ok');
    expect(await kindOf(callInternal(url, { ca } as RpcTls))).to.equal('internal');
  });

  it('without an authority of ours and without a token is for loopback only', async () => {
    const { cert, key } = ours;
    const error: unknown = await listen({ cert, key }, undefined, '0.0.0.0').catch((failure: unknown) => failure);
    expect(error).to.have.property('message').that.contains('must not listen on 0.0.0.0');
  });

  it('does not speak cleartext', async () => {
    const url = await listen(ours);
    expect(await kindOf(callInternal(url.replace('https', 'http'), undefined))).to.equal('unavailable');
  });
});
