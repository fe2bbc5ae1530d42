import type { ServiceImpl } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors.js';
import { type Log, silentLog } from '../kit/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { serverInterceptors } from '../kit/rpc/interceptors.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import { create } from '@bufbuild/protobuf';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { ModelService } from '../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { RelayService } from '../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { contractsOver } from './contracts.js';
import type { EdgeLimits } from './limits.js';
import { createGateway, type Gateway } from './service.js';

/** What the services behind the edge do in a test; what is left out answers internal, as unimplemented. */
export interface FakeServices {
  device?: Partial<ServiceImpl<typeof DeviceService>>;
  job?: Partial<ServiceImpl<typeof JobService>>;
  model?: Partial<ServiceImpl<typeof ModelService>>;
  network?: Partial<ServiceImpl<typeof NetworkService>>;
  screen?: Partial<ServiceImpl<typeof ScreenService>>;
}

export const CONTROL_KEY = 'cp_control';
export const READ_KEY = 'cp_read';

/** A caller for each of the two keys; anything else is unauthorized. */
const authenticate: Authenticate = async (authorization) => {
  const scope = { [`Bearer ${CONTROL_KEY}`]: Scope.CONTROL, [`Bearer ${READ_KEY}`]: Scope.READ }[authorization];
  if (scope === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return create(CallerSchema, { accountId: 'acc_1', keyId: 'key_1', scope, allDevices: true });
};

export interface EdgeWorld {
  gateway: Gateway;
  metrics: Registry;
  port: number;
  /** http://127.0.0.1:port */
  base: string;
  /** A request with the control key, unless `init` has its own authorization. */
  call(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The real edge on a real socket, over fake services behind the real interceptors. For tests and benches. */
export async function startEdge(
  services: FakeServices = {},
  options: { log?: Log; limits?: Partial<EdgeLimits>; authenticate?: Authenticate } = {},
): Promise<EdgeWorld> {
  const transport = joinInMemory(
    {
      name: 'the fake service',
      contracts: [],
      routes: (router) => {
        router.service(DeviceService, services.device ?? {});
        router.service(JobService, services.job ?? {});
        router.service(ModelService, services.model ?? {});
        router.service(NetworkService, services.network ?? {});
        router.service(ScreenService, services.screen ?? {});
        router.service(RelayService, {});
      },
      interceptors: serverInterceptors({
        log: silentLog,
        clock: systemClock,
        metrics: new Registry(),
        authenticate,
        meshToken: undefined,
      }),
    },
    undefined,
  );
  const metrics = new Registry();
  const gateway = createGateway({
    clock: systemClock,
    log: options.log ?? silentLog,
    metrics,
    contracts: contractsOver({ device: transport, screen: transport, relay: transport, webhook: transport }),
    authenticate: options.authenticate ?? authenticate,
    limits: { drainTimeoutMs: 200, ...options.limits },
  });
  const listener = await gateway.listen('127.0.0.1', 0);
  const base = `http://127.0.0.1:${listener.port}`;
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
    close: () => listener.close(),
  };
}
