import { createClient, type Transport } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { sendErrors } from '../../kit/rpc/error-crossing.js';
import { listenRpc, type RpcListener } from '../../kit/rpc/listen.js';
import { meshCheck, requireMesh } from '../../kit/rpc/mesh.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Event, EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { Killer } from './kill-points.js';

/** Where each of the two services is, as the other one finds it. */
export interface EventGateOptions {
  killer: Killer;
  meshToken: string;
  /** Asked anew for each call: the device service is another one after each kill. */
  toDevice: () => Transport;
  toWebhook: () => Transport;
  /** Whether an event is refused the first time, as when the webhook service is away for a moment. */
  refusedOnce: (event: Event) => boolean;
}

/** Stands between the device service and the webhook service, and hands every call on, unless the former is killed at it. */
export function openEventGate(options: EventGateOptions): Promise<RpcListener> {
  const { killer, meshToken, toDevice, toWebhook } = options;
  const refused = new Set<string>();
  const dead = (): never => {
    throw new ApiError('unavailable', 'The device service has just been killed.');
  };
  return listenRpc(
    {
      name: 'the gate',
      contracts: [EventService, AccessService],
      interceptors: [sendErrors(silentLog), requireMesh(meshCheck(meshToken))],
      routes: (router) =>
        router
          .service(EventService, {
            record: (request) => createClient(EventService, toWebhook()).record(request),
            publish: async ({ event }) => {
              if (event === undefined) throw new ApiError('bad_request', 'There is no event.');
              const way = event.type === 'job.finished' ? 'publish job.finished' : 'publish health';
              if (!(await killer.pass(`${way}, asked`))) dead();
              if (options.refusedOnce(event) && !refused.has(event.id)) {
                refused.add(event.id);
                throw new ApiError('unavailable', 'The webhook service is away.');
              }
              const response = await createClient(EventService, toWebhook()).publish({ event });
              await killer.pass(`${way}, done`);
              return response;
            },
          })
          .service(AccessService, {
            authenticate: (request) => createClient(AccessService, toDevice()).authenticate(request),
            listSubscribers: async (request) => {
              if (!(await killer.pass('name receivers, asked'))) dead();
              const response = await createClient(AccessService, toDevice()).listSubscribers(request);
              await killer.pass('name receivers, done');
              return response;
            },
          }),
    },
    { host: '127.0.0.1', port: 0, guarded: true },
  );
}
