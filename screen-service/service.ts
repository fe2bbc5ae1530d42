import { connect } from 'node:net';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import type { RpcService } from '../kit/rpc/rpc-service.js';
import { TimelineQueue } from '../kit/timeline/timeline-queue.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { TimelineService } from '../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { FileService } from '../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { ConnectSocket } from '../phone/link/phone-link.js';
import { tuneSharp } from './capture/encode.js';
import { Transfers } from './files/transfers.js';
import { type ScreenLimits, screenLimits } from './limits.js';
import { screenMetrics } from './metrics.js';
import { LatestObservations } from './observe/latest-observations.js';
import { createLocate } from './phones/locate.js';
import { KeptPhones } from './phones/kept-phones.js';
import { createReportPhone } from './phones/report-phone.js';
import { fileRoutes } from './rpc/file-routes.js';
import { screenRoutes } from './rpc/screen-routes.js';
import { TimelineRecorder } from './timeline/timeline-recorder.js';

export interface ScreenServiceOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** Absent: internal rpcs are open, and the service must listen on loopback only. */
  meshToken?: string | undefined;
  /** Transport to the device service, which locates phones and checks permissions. */
  device: Transport;
  /** Opens TCP connections to phones. Absent: node:net. */
  connectSocket?: ConnectSocket;
  /** Absent: screenLimits. */
  limits?: Partial<ScreenLimits>;
  /** scrcpy's server, which phones encode video with. Absent: phones have no video. */
  scrcpyFile?: Uint8Array | undefined;
}

/** Builds the screen service. `close` hangs up on all phones. */
export function createScreenService(options: ScreenServiceOptions): { rpc: RpcService; close(): Promise<void> } {
  const { clock, log, metrics, meshToken } = options;
  const devices = createClient(PhoneService, options.device);
  tuneSharp();
  const limits = { ...screenLimits, ...options.limits };
  const connectSocket = options.connectSocket ?? ((host, port) => connect({ host, port }));
  const measured = screenMetrics({
    metrics,
    clock,
    keptPhones: () => keptPhones.size,
    residentServers: () => keptPhones.residentServers,
  });
  const report = createReportPhone({ devices, clock, log });
  const { scrcpyFile } = options;
  const keptPhones: KeptPhones = new KeptPhones({ clock, log, metrics: measured, connectSocket, limits, report, scrcpyFile }); // prettier-ignore
  const timeline = createClient(TimelineService, options.device);
  const queue = new TimelineQueue({
    clock,
    log,
    send: (entries, timeoutMs) => timeline.keepTimeline({ entries }, { timeoutMs }),
  });
  const recorder = new TimelineRecorder({ queue, clock, log });
  const transfers = new Transfers();
  const observations = new LatestObservations(limits.maxObservations);
  return {
    rpc: {
      name: 'the screen service',
      contracts: [ScreenService, FileService, HelperService],
      routes: (router) => {
        const locate = createLocate(devices, keptPhones);
        screenRoutes(locate, observations, clock, recorder)(router);
        router.service(FileService, fileRoutes({ locate, clock, recorder, transfers }));
        router.service(HelperService, {
          releaseHelpers: async ({ phoneIds }) => {
            await keptPhones.releaseHelpers(phoneIds);
            return {};
          },
        });
      },
      ...callChecks({ log, clock, metrics, meshToken }),
    },
    close: async () => {
      await queue.close();
      await keptPhones.close();
    },
  };
}
