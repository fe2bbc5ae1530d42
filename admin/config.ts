import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import { withKeptToken } from '../kit/service/mesh-token.js';

export interface AdminConfig extends MeshConfig {
  deviceServiceUrl: string;
  relayServiceUrl: string;
}

/**
 * Reads where the running services are: DEVICE_SERVICE_URL and RELAY_SERVICE_URL, else the addresses that `npm start` wrote into
 * `quickstart.json` of DATA_DIR. Without MESH_TOKEN, the token of that folder is used. Throws an error of one line with the
 * next step.
 */
export function readAdminConfig(environment: NodeJS.ProcessEnv): AdminConfig {
  const settings = new Settings(environment);
  const given = settings.optionalText('DEVICE_SERVICE_URL');
  const config = {
    deviceServiceUrl: serviceUrl(settings, 'DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    relayServiceUrl: serviceUrl(settings, 'RELAY_SERVICE_URL', 'http://127.0.0.1:7003'),
    ...meshSettings(settings),
  };
  settings.check();
  const { dataDirectory: directory } = config;
  const withToken = withKeptToken(config, { make: false });
  return given === undefined
    ? { ...withToken, ...urlsIn(directory, config.tls === undefined ? 'http' : 'https') }
    : withToken;
}

export interface DatabasePlace {
  dataDirectory: string;
  /** Absent: the embedded database of the data folder. */
  mongodb: { url: string; database: string } | undefined;
}

/** Where the service keeps its database. Throws one error that lists every fault. */
export function readDatabasePlace(environment: NodeJS.ProcessEnv): DatabasePlace {
  const settings = new Settings(environment);
  const dataDirectory = resolve(settings.text('DATA_DIR', './data'));
  const url = settings.secret('MONGODB_URL');
  const database = settings.text('MONGODB_DATABASE', 'cloudphone');
  settings.check();
  return { dataDirectory, mongodb: url === undefined ? undefined : { url, database } };
}

function urlsIn(
  directory: string,
  scheme: 'http' | 'https',
): Pick<AdminConfig, 'deviceServiceUrl' | 'relayServiceUrl'> {
  const path = join(directory, 'quickstart.json');
  try {
    const { grpc } = JSON.parse(readFileSync(path, 'utf8')) as {
      grpc: { device: string; relay: string };
    };
    return { deviceServiceUrl: `${scheme}://${grpc.device}`, relayServiceUrl: `${scheme}://${grpc.relay}` };
  } catch (error) {
    throw new Error(
      `No service is known from ${path}. Set DATA_DIR to the folder of the running service, or DEVICE_SERVICE_URL.`,
      { cause: error },
    );
  }
}
