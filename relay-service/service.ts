import { createClient, type Transport } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/async/clock.js';
import { migrate } from '../kit/db/migrations.js';
import type { Log } from '../kit/log/log.js';
import { auditorOver } from '../kit/rpc/remote-auditor.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import { implement, implementing } from '../kit/rpc/rpc-service.js';
import type { Service } from '../kit/service/service.js';
import { TimelineQueue } from '../kit/timeline/timeline-queue.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { TimelineService } from '../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { RelayAdminService } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { RelayService } from '../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { Pace } from './connection/paced-input.js';
import { createUnacknowledgedBytes, type UnacknowledgedBytes } from './connection/unacknowledged-bytes.js';
import { type RelayLimits, relayLimits } from './limits.js';
import { type RelayMetrics, relayMetrics } from './metrics.js';
import { Attempts } from './relays/attempts.js';
import { Relays } from './relays/relays.js';
import { RelayUpkeep } from './relays/upkeep.js';
import { relayAdminRpc, relayRpc } from './rpc/relay-rpc.js';
import { RelayStore } from './store/relays.js';

export interface RelayServiceOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** Absent: internal rpcs are open, and the service must listen on loopback only. */
  meshToken: string | undefined;
  database: Db;
  /** The way to the device service, which authorizes callers, locates phones, and checks whether relays may go on. */
  device: Transport;
  /** Address that the relay ports listen on. */
  listenHost: string;
  /** The host that customers connect to. */
  advertisedHost: string;
  /** Relay ports, both ends included. Undefined: any free ones. */
  ports: { first: number; last: number } | undefined;
  /** Name of this instance, the same after a restart, that no other running instance has. */
  instanceId: string;
  /** Where other relay services reach this one's rpcs. Undefined: nowhere, or it is not known yet. */
  rpcUrl: () => string | undefined;
  /** Returns the way to another relay service. */
  reach: (rpcUrl: string) => Transport;
  /** Absent: the operating system reports the unacknowledged bytes. */
  unacknowledgedBytes?: UnacknowledgedBytes;
  /** Limits that differ from relayLimits. */
  limits?: Partial<RelayLimits>;
}

/** Opens the store, listens for the relays that this instance had, and starts their upkeep. */
export async function createRelayService(options: RelayServiceOptions): Promise<Service> {
  const { metrics: registry, database, limits } = options;
  const devices = createClient(PhoneService, options.device);
  const store = new RelayStore(database);
  const migrations = [
    { name: 'indexes of relays', run: () => store.createIndexes() },
    // Counts the ports of an account.
    { name: 'index of relays by account', run: () => store.createIndexes() },
  ];
  await migrate({ ...options, service: 'relay-service', migrations });
  const metrics: RelayMetrics = relayMetrics(registry, () => relays.live.length);
  const { unacknowledgedBytes = createUnacknowledgedBytes() } = options;
  const timeline = createClient(TimelineService, options.device);
  const queue = new TimelineQueue({
    clock: options.clock,
    log: options.log,
    send: (entries, timeoutMs) => timeline.keepTimeline({ entries }, { timeoutMs }),
  });
  const parts = {
    ...options,
    queue,
    devices,
    store,
    unacknowledgedBytes,
    pace: new Pace(),
    attempts: new Attempts(options),
  };
  const relays = new Relays({ ...parts, metrics, limits: { ...relayLimits, ...limits } });
  const upkeep = new RelayUpkeep({ ...parts, relays });
  await upkeep.start();
  return {
    rpc: {
      name: 'the relay service',
      ...callChecks({ ...options, auditor: auditorOver(options.device, options.clock) }),
      ...implementing(
        implement(
          RelayService,
          relayRpc({
            clock: options.clock,
            devices,
            relays,
            reach: options.reach,
            limits: { ...relayLimits, ...limits },
          }),
        ),
        implement(RelayAdminService, relayAdminRpc(store)),
      ),
    },
    leave: () => relays.endTunnels(),
    close: async () => {
      await upkeep.close();
      await relays.close();
      await queue.close();
    },
  };
}
