import { connect } from 'node:net';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import { auditorOver } from '../kit/rpc/remote-auditor.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import type { Service } from '../kit/service/service.js';
import { TimelineQueue } from '../kit/timeline/timeline-queue.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { TimelineService } from '../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { FileService } from '../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { FfmpegEncoders } from '../phone/video/ffmpeg-encoders.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { RecorderService } from '../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { ConnectSocket } from '../phone/link/phone-link.js';
import { CRASH_TAGS } from './crashes/crash-lines.js';
import { CrashReports } from './crashes/crash-reports.js';
import { CrashWatches } from './crashes/crash-watches.js';
import { crashMetrics } from './crashes/metrics.js';
import { watchHost } from './phones/watch-host.js';
import { CrashService } from '../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { SharedLogs } from './logs/shared-logs.js';
import { tuneSharp } from './capture/encode.js';
import { Transfers } from './files/transfers.js';
import { type ScreenLimits, screenLimits } from './limits.js';
import { screenMetrics } from './link/metrics.js';
import { LastObservations } from './observe/last-observations.js';
import { createLocate, createPhoneExists } from './phones/locate.js';
import { PhoneSessions } from './phones/phone-sessions.js';
import { createReportPhone } from './phones/report-phone.js';
import { fileRoutes } from './rpc/file-routes.js';
import { recorderRoutes } from './rpc/recorder-routes.js';
import { screenRoutes } from './rpc/screen-routes.js';
import { hideSecretText } from './secrets/hide-secrets.js';
import { SecretsOfPhones } from './secrets/secrets-of-phones.js';
import { GestureScreens } from './timeline/gesture-screens.js';
import { TimelineRecorder } from './timeline/timeline-recorder.js';

export interface ScreenServiceOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** Token for internal rpcs. Absent: they are open, and the service must listen on loopback only. */
  meshToken?: string | undefined;
  /** Transport to the device service, which locates phones and checks permissions. */
  device: Transport;
  /** Opens TCP connections to phones. Absent: node:net. */
  connectSocket?: ConnectSocket;
  /** Limits other than those of `screenLimits`. Absent: none. */
  limits?: Partial<ScreenLimits>;
  /** scrcpy's server, which phones encode video with. Absent: phones have no video. */
  scrcpyFile?: Uint8Array | undefined;
  /** Whether the logs of phones are watched for crashes of apps. Absent: no. */
  watchCrashes?: boolean | undefined;
  /** Name or path of ffmpeg, for recordings of phones without video. Absent: `ffmpeg`. */
  ffmpeg?: string | undefined;
}

/** Builds the screen service. `close` hangs up on all phones. */
export function createScreenService(options: ScreenServiceOptions): Service {
  const { clock, log, metrics, meshToken } = options;
  const devices = createClient(PhoneService, options.device);
  tuneSharp();
  const limits = { ...screenLimits, ...options.limits };
  const connectSocket = options.connectSocket ?? ((host, port) => connect({ host, port }));
  const measured = screenMetrics({
    metrics,
    clock,
    sessions: () => sessions.size,
    residentServers: () => sessions.residentServers,
  });
  const report = createReportPhone({ devices, clock, log });
  const { scrcpyFile } = options;
  const reach = { clock, log, metrics: measured, connectSocket, limits, report };
  const logs = new SharedLogs(reach, CRASH_TAGS);
  const crashReporter = createClient(CrashService, options.device);
  const crashReports = new CrashReports({
    clock,
    log,
    send: (crashes, timeoutMs) => crashReporter.reportCrashes({ crashes }, { timeoutMs }),
  });
  const secrets = new SecretsOfPhones(clock);
  const watches: CrashWatches = new CrashWatches({
    ...{ clock, logs, reports: crashReports },
    hide: (phone, text) => hideSecretText(text, secrets.known(phone)?.all() ?? []),
    metrics: crashMetrics(metrics, () => watches.size),
  });
  const isWatching = options.watchCrashes === true;
  const sessions: PhoneSessions = new PhoneSessions({
    ...{ ...reach, logs, secrets, scrcpyFile },
    ...(isWatching && { crashes: watches }),
  });
  const hostWatch = isWatching ? watchHost({ devices: crashReporter, watches, clock, log }) : undefined;
  const timeline = createClient(TimelineService, options.device);
  const queue = new TimelineQueue({
    clock,
    log,
    send: (entries, timeoutMs) => timeline.keepTimeline({ entries }, { timeoutMs }),
  });
  const recorder = new TimelineRecorder({ queue, clock, log });
  const gestureScreens = new GestureScreens();
  const transfers = new Transfers();
  const encoders = new FfmpegEncoders(options.ffmpeg ?? 'ffmpeg', clock);
  const observations = new LastObservations(limits.maxObservations);
  return {
    rpc: {
      name: 'the screen service',
      contracts: [ScreenService, FileService, HelperService, RecorderService],
      routes: (router) => {
        const locate = createLocate(devices, sessions);
        const phoneExists = createPhoneExists(devices);
        screenRoutes({ locate, phoneExists, observations, clock, recorder, gestureScreens })(router);
        router.service(FileService, fileRoutes({ locate, clock, recorder, transfers }));
        router.service(RecorderService, recorderRoutes({ sessions, encoders, clock }));
        router.service(HelperService, {
          releaseHelpers: async ({ phoneIds }) => {
            await sessions.releaseHelpers(phoneIds);
            return {};
          },
        });
      },
      ...callChecks({ log, clock, metrics, meshToken, auditor: auditorOver(options.device, clock) }),
    },
    close: async () => {
      await hostWatch?.close();
      watches.close();
      await crashReports.close();
      // The last entries of the queue wait for these.
      gestureScreens.close();
      await queue.close();
      await logs.close();
      await sessions.close();
    },
  };
}
