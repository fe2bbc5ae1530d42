import { FAKE_IDENTITY } from '../../testing/phone/fake-adbd.js';
import { connect } from 'node:net';
import { type Client, createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { type Clock, systemClock } from '../../kit/async/clock.js';
import { ApiError, type ErrorKind, UNAUTHORIZED_MESSAGE } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { sendErrors } from '../../kit/rpc/error-crossing.js';
import type { RpcService } from '../../kit/rpc/rpc-service.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { FileService } from '../../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { RecorderService } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { ConnectSocket } from '../../phone/link/phone-link.js';
import { CRASH_TAGS } from '../crashes/crash-lines.js';
import { SharedLogs } from '../logs/shared-logs.js';
import { SecretsOfPhones } from '../secrets/secrets-of-phones.js';
import type { ScreenLimits } from '../limits.js';
import { openSession, type PhoneSession } from '../phones/phone-session.js';
import { screenLimits } from '../limits.js';
import { screenMetrics } from '../link/metrics.js';
import { createScreenService } from '../service.js';

export interface ScreenWorldOptions {
  /** Port of the phone's adbd. */
  port: number;
  screen?: { width: number; height: number; density: number };
  /** The identity that is published with the address. Absent: it is empty, so that it is not checked. */
  identity?: string;
  clock?: Clock;
  connectSocket?: ConnectSocket;
  limits?: Partial<ScreenLimits>;
  /** scrcpy's server. Absent: there is no video. */
  scrcpyFile?: Uint8Array;
  /** Name of ffmpeg, for recordings of phones without video. Absent: `ffmpeg`. */
  ffmpeg?: string;
}

export interface ScreenWorld {
  client: Client<typeof ScreenService>;
  files: Client<typeof FileService>;
  recorder: Client<typeof RecorderService>;
  /** The phone's place in the device service's responses; a test may change it. */
  phone: { phoneId: string; generation: number; identity: string; port: number };
  /** The reports to the device service. */
  reports: { phoneId: string; foundIdentity: string | undefined }[];
  /** Requests for the phone's place, with the caller's header. */
  located: (string | null)[];
  /** The device service responds once this has resolved. */
  locating: () => Promise<void>;
  /** The error with which the device service refuses to locate the phone. Undefined: it does not refuse. */
  refuse: ErrorKind | undefined;
  close(): Promise<void>;
}

/** The real service over one phone, with a device service that responds as the test sets it. Any key `Bearer key_…` is good. */
export function screenWorld(options: ScreenWorldOptions): ScreenWorld {
  const { port, identity = FAKE_IDENTITY, screen, clock = systemClock, limits, connectSocket } = options;
  const world = {
    phone: { phoneId: 'ph_1', generation: 1, identity, port },
    reports: [] as ScreenWorld['reports'],
    located: [] as (string | null)[],
    locating: () => Promise.resolve(),
    refuse: undefined as ErrorKind | undefined,
  };
  const devices: RpcService = {
    name: 'the device service',
    contracts: [PhoneService],
    interceptors: [sendErrors(silentLog)],
    routes: (router) => {
      router.service(PhoneService, {
        locatePhone: async (_request, context) => {
          const authorization = context.requestHeader.get('authorization');
          world.located.push(authorization);
          const keyId = authorization?.replace('Bearer ', '') ?? '';
          if (!keyId.startsWith('key_')) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
          await world.locating();
          if (world.refuse !== undefined) throw new ApiError(world.refuse, `refused: ${world.refuse}`);
          return { ...world.phone, host: '127.0.0.1', screen: screen ?? SCREEN, keyId };
        },
        reportPhone: ({ phoneId, foundIdentity }) => {
          world.reports.push({ phoneId, foundIdentity });
          return {};
        },
      });
    },
  };
  const service = createScreenService({
    clock,
    log: silentLog,
    metrics: new Registry(),
    device: joinInMemory(devices, undefined),
    scrcpyFile: options.scrcpyFile,
    ffmpeg: options.ffmpeg,
    ...(limits !== undefined && { limits }),
    ...(connectSocket !== undefined && { connectSocket }),
  });
  const way = joinInMemory(service.rpc, undefined);
  return Object.assign(world, {
    client: createClient(ScreenService, way),
    files: createClient(FileService, way),
    recorder: createClient(RecorderService, way),
    close: () => service.close(),
  });
}

const SCREEN = { width: 720, height: 1280, density: 320 };

export const AS_KEY = { headers: { authorization: 'Bearer key_1' } };

/** Returns a phone session, for tests of the parts below the service. */
export function openTestSession(
  port: number,
  limits: Partial<ScreenLimits> = {},
  clock: Clock = systemClock,
  identity = FAKE_IDENTITY,
  scrcpyFile?: Uint8Array,
): PhoneSession {
  const parts = {
    clock,
    log: silentLog,
    metrics: screenMetrics({ metrics: new Registry(), clock, sessions: () => 1 }),
    connectSocket: (host: string, to: number) => connect({ host, port: to }),
    limits: { ...screenLimits, ...limits },
    report: () => undefined,
  };
  return openSession(
    { name: 'phone', phoneId: 'ph_1', generation: 1, identity, host: '127.0.0.1', port, screen: SCREEN },
    { ...parts, logs: new SharedLogs(parts, CRASH_TAGS), secrets: new SecretsOfPhones(clock), scrcpyFile },
  );
}
