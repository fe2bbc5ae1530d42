import type { DescService } from '@bufbuild/protobuf';
import type { ServiceImpl, Transport } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { AllowedHosts } from '../kit/net/allowed-hosts.js';
import { type Clock, systemClock } from '../kit/async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors/api-error.js';
import { type Log, silentLog } from '../kit/log/log.js';
import type { ServerCertificate } from '../kit/https/server-certificate.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { serverInterceptors } from '../kit/rpc/interceptors.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import { create } from '@bufbuild/protobuf';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { AccountService } from '../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { KeyService } from '../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { OidcService } from '../proto/gen/cloudphone/access/v1/oidc_service_pb.js';
import { SessionService } from '../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { UsageService } from '../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { ModelService } from '../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { ShareService } from '../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { RelayService } from '../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { FileService } from '../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { contractsOver } from '../gateway/contracts.js';
import type { EdgeLimits } from '../gateway/limits.js';
import type { OpenWindows } from '../gateway/rates/rate-windows.js';
import { createGateway, type Gateway } from '../gateway/service.js';
import { FakeClock } from './fake-clock.js';

/** The implementation of the services behind the edge in a test; a method that is left out finds nothing. */
export interface FakeServices {
  device?: Partial<ServiceImpl<typeof DeviceService>>;
  job?: Partial<ServiceImpl<typeof JobService>>;
  model?: Partial<ServiceImpl<typeof ModelService>>;
  network?: Partial<ServiceImpl<typeof NetworkService>>;
  screen?: Partial<ServiceImpl<typeof ScreenService>>;
  file?: Partial<ServiceImpl<typeof FileService>>;
  relay?: Partial<ServiceImpl<typeof RelayService>>;
  account?: Partial<ServiceImpl<typeof AccountService>>;
  session?: Partial<ServiceImpl<typeof SessionService>>;
  oidc?: Partial<ServiceImpl<typeof OidcService>>;
  key?: Partial<ServiceImpl<typeof KeyService>>;
  share?: Partial<ServiceImpl<typeof ShareService>>;
  usage?: Partial<ServiceImpl<typeof UsageService>>;
}

export const CONTROL_KEY = 'cp_control';
export const READ_KEY = 'cp_read';

/** A caller for each of the two keys; anything else is unauthorized. */
const authenticate: Authenticate = async (authorization) => {
  const scope = { [`Bearer ${CONTROL_KEY}`]: Scope.CONTROL, [`Bearer ${READ_KEY}`]: Scope.READ }[authorization];
  if (scope === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return create(CallerSchema, { accountId: 'acc_1', keyId: 'key_1', scope, allDevices: true });
};

/** Rate limits that a test or a bench never meets; the edge counts all the same. */
const UNLIMITED = {
  maxKeyRequests: 1e9,
  maxDeviceRequests: 1e9,
  maxSessionRequests: 1e9,
  maxAccountRequests: 1e9,
  maxRequestsUnderWay: 1e9,
  maxAnonymousRequests: 1e9,
};

export interface EdgeWorld {
  gateway: Gateway;
  metrics: Registry;
  port: number;
  /** http://127.0.0.1:port, or https. */
  base: string;
  /** A request with the control key, unless `init` has its own authorization. */
  call(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** A transport that is never called. It serves only to list the contracts. */
const nothing = {} as Transport;
const nowhere = { device: nothing, screen: nothing, relay: nothing, webhook: nothing };

/** Every rpc of a contract, which fails with not_found. */
function findingNothing<D extends DescService>({ methods }: D): Partial<ServiceImpl<D>> {
  const notFound = (): never => {
    throw new ApiError('not_found', 'There is no such thing.');
  };
  const every: unknown = Object.fromEntries(methods.map(({ localName }) => [localName, notFound]));
  return every as Partial<ServiceImpl<D>>;
}

/** The real edge on a real socket, over fake services behind the real interceptors. For tests and benches. */
export async function startEdge(
  services: FakeServices = {},
  options: {
    log?: Log;
    limits?: Partial<EdgeLimits>;
    authenticate?: Authenticate;
    /** The clock of the edge. */
    clock?: Clock;
    openWindows?: OpenWindows;
    /** Absent: besides IP addresses and localhost, only `x` is allowed, the host that tests write into their own requests. */
    hosts?: AllowedHosts;
    behindProxy?: boolean;
    publicUrl?: URL;
    /** Absent: MCP is served. */
    mcp?: boolean;
    /** Absent: plain http. */
    certificate?: ServerCertificate;
  } = {},
): Promise<EdgeWorld> {
  const transport = joinInMemory(
    {
      name: 'the fake service',
      contracts: [],
      routes: (router) => {
        for (const { descriptor } of contractsOver(nowhere)) router.service(descriptor, findingNothing(descriptor));
        router.service(DeviceService, { ...findingNothing(DeviceService), ...services.device });
        router.service(JobService, { ...findingNothing(JobService), ...services.job });
        router.service(ModelService, { ...findingNothing(ModelService), ...services.model });
        router.service(NetworkService, { ...findingNothing(NetworkService), ...services.network });
        router.service(ScreenService, { ...findingNothing(ScreenService), ...services.screen });
        router.service(RelayService, { ...findingNothing(RelayService), ...services.relay });
        router.service(FileService, { ...findingNothing(FileService), ...services.file });
        router.service(AccountService, { ...findingNothing(AccountService), ...services.account });
        router.service(SessionService, { ...findingNothing(SessionService), ...services.session });
        router.service(OidcService, { ...findingNothing(OidcService), ...services.oidc });
        router.service(KeyService, { ...findingNothing(KeyService), ...services.key });
        router.service(ShareService, { ...findingNothing(ShareService), ...services.share });
        router.service(UsageService, { ...findingNothing(UsageService), ...services.usage });
      },
      interceptors: serverInterceptors({
        log: silentLog,
        clock: systemClock,
        metrics: new Registry(),
        authenticate: options.authenticate ?? authenticate,
        meshToken: undefined,
      }),
    },
    undefined,
  );
  const metrics = new Registry();
  const gateway = createGateway({
    clock: options.clock ?? systemClock,
    ...(options.openWindows !== undefined && { openWindows: options.openWindows }),
    log: options.log ?? silentLog,
    metrics,
    contracts: contractsOver({ device: transport, screen: transport, relay: transport, webhook: transport }),
    authenticate: options.authenticate ?? authenticate,
    hosts: options.hosts ?? new AllowedHosts(['x']),
    ...(options.behindProxy !== undefined && { behindProxy: options.behindProxy }),
    ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
    ...(options.mcp !== undefined && { mcp: options.mcp }),
    limits: { drainTimeoutMs: 200, ...UNLIMITED, ...options.limits },
  });
  const listener = await gateway.listen('127.0.0.1', 0, options.certificate);
  const base = `${options.certificate === undefined ? 'http' : 'https'}://127.0.0.1:${listener.port}`;
  return {
    gateway,
    metrics,
    port: listener.port,
    base,
    call: (path, init) => {
      const headers = new Headers(init?.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${CONTROL_KEY}`);
      return fetch(base + path, { ...init, headers });
    },
    close: async () => {
      const { clock } = options;
      const closed = listener.close().then(() => true);
      // Closing waits for requests on kept connections, until the clock of the test has gone on.
      if (clock instanceof FakeClock) while (!(await Promise.race([closed, clock.pass(100)])));
      await closed;
    },
  };
}
