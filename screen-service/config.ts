import { logSettings, type OpsConfig, opsSettings, serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log/log.js';

export interface ScreenConfig extends MeshConfig, OpsConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** URL of PhoneService and AccessService. */
  deviceServiceUrl: string;
  /** Path of scrcpy's server. Undefined: the one that was fetched, if any. */
  scrcpyServer: string | undefined;
  /** Name or path of ffmpeg, for recordings of phones without video. */
  ffmpeg: string;
  /** Whether the logs of phones are watched for crashes of apps. */
  watchCrashes: boolean;
  log: LogOptions;
}

/** Reads the screen service's settings; throws one error that lists every fault. */
export function readScreenConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): ScreenConfig {
  const settings = new Settings(environment);
  const port = settings.port('SCREEN_GRPC_PORT', 7002);
  const config: ScreenConfig = {
    host: settings.address('SCREEN_HOST', '127.0.0.1'),
    port,
    deviceServiceUrl: serviceUrl(settings, 'DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    ...meshSettings(settings),
    ...opsSettings(settings, port === 0 ? 0 : 7012),
    scrcpyServer: scrcpyServerSetting(settings),
    ffmpeg: ffmpegSetting(settings),
    watchCrashes: crashesSetting(settings),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** FFMPEG: the program that makes video of the pictures of phones that have none. */
export function ffmpegSetting(settings: Settings): string {
  return settings.text('FFMPEG', 'ffmpeg');
}

/** CRASHES: whether the logs of running phones are watched for crashes of apps. */
export function crashesSetting(settings: Settings): boolean {
  return settings.flag('CRASHES', true);
}

/** SCRCPY_SERVER: the file with which phones encode their screens as video. */
export function scrcpyServerSetting(settings: Settings): string | undefined {
  const path = settings.text('SCRCPY_SERVER', '');
  return path === '' ? undefined : path;
}
