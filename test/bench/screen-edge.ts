import { create } from '@bufbuild/protobuf';
import { Registry } from 'prom-client';
import { createGateway } from '../../gateway/service.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import type { RpcService } from '../../kit/rpc/rpc-service.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { type NewTimelineEntry, TimelineService } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { identityAt } from './identity-at.js';
import { createScreenService } from '../../screen-service/service.js';

/** The timeline of the one phone. */
export interface BenchTimeline {
  isOn: () => boolean;
  keep: (entries: NewTimelineEntry[]) => Promise<void>;
}

/** The gateway and the screen service in this process, with a device service that only knows the one phone. */
export async function startEdge(
  phonePort: number,
  scrcpyFile?: Uint8Array,
  { helpersAllowed = false, timeline }: { helpersAllowed?: boolean; timeline?: BenchTimeline } = {},
): Promise<{ url: string; metrics: Registry; close: () => Promise<void> }> {
  const identity = await identityAt(phonePort);
  const devices: RpcService = {
    name: 'the device service',
    contracts: [PhoneService, TimelineService],
    interceptors: [],
    routes: (router) => {
      router.service(PhoneService, {
        locatePhone: () => ({
          phoneId: 'ph_bench',
          keyId: 'key_1',
          generation: 1,
          identity,
          host: '127.0.0.1',
          port: phonePort,
          helpersAllowed,
          timeline: timeline?.isOn() === true,
          screen: { width: 720, height: 1280, density: 320 },
        }),
      });
      router.service(TimelineService, {
        keepTimeline: async ({ entries }) => {
          await timeline?.keep(entries);
          return {};
        },
      });
    },
  };
  const caller = create(CallerSchema, { accountId: 'acc_1', keyId: 'key_1', scope: Scope.CONTROL, allDevices: true });
  const toDevice = joinInMemory(devices, undefined);
  const common = { clock: systemClock, log: silentLog, authenticate: async () => caller };
  const screen = createScreenService({
    ...common,
    metrics: new Registry(),
    device: toDevice,
    scrcpyFile,
  });
  const toScreen = joinInMemory(screen.rpc, undefined);
  const metrics = new Registry();
  const gateway = createGateway({
    ...common,
    metrics,
    contracts: [{ descriptor: ScreenService, transport: toScreen }],
    // Counted and never reached: the screen service is measured, not the edge's limits.
    limits: { maxKeyRequests: 1e9, maxDeviceRequests: 1e9, maxSockets: 1e9, maxSocketsOfCaller: 1e9 },
  });
  const edge = await gateway.listen('127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${edge.port}`,
    metrics,
    close: async () => {
      await edge.close();
      await screen.close();
    },
  };
}
