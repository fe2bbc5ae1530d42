import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../testing/free-port.js';
import { until } from '../../testing/until.js';
import { signUp } from '../ops/people-of.js';
import { type SeparateName, type SeparateServices, startSeparateServices } from '../ops/separate-services.js';
import type { RestClient } from '../rest-client.js';
import { PHONE_PROCESSES, phonesIn } from './device-process.js';

/** The name of the one phone. */
export const DEMO = 'demo';

/** The services as processes that are killed, one phone that loses its power, and what the command line needs to use it. */
export interface KilledServicesWorld {
  services: SeparateServices;
  api: RestClient;
  /** Variables of the command line: the service, a key, a home, and a place for a server of adb. */
  environment: Record<string, string>;
  adbServerPort: number;
  /** A folder for files of the test. */
  folder: string;
  /** Takes the phone's power away. Returns when the service has noticed. */
  cutPower(): Promise<void>;
  /** Starts the phone, and waits until it runs. */
  startPhone(): Promise<void>;
  killAndStart(name: SeparateName): Promise<void>;
  close(): Promise<void>;
}

export async function startKilledServicesWorld(): Promise<KilledServicesWorld> {
  const services = await startSeparateServices({
    SIMULATED_PROCESSES: String(PHONE_PROCESSES),
    // Longer than the device service takes to start again, so that its phones go on.
    SIMULATED_GRACE_MS: '60000',
  });
  const folder = mkdtempSync(join(tmpdir(), 'cloudphone-killed-'));
  const { api, key } = await signUp(services.edgeUrl);
  await api.createPhone({ name: DEMO });
  const phones = phonesIn(services.dataDirectory);
  const [phoneId = ''] = readdirSync(join(services.dataDirectory, 'simulator', 'phones'));
  const adbServerPort = await freePort();
  const stateOf = async (): Promise<string> => (await api.get(`/v1/devices/${DEMO}`)).body.device?.state as string;
  return {
    services,
    api,
    environment: {
      ...{ HOME: folder, ANDROID_ADB_SERVER_PORT: String(adbServerPort) },
      ...{ CLOUDPHONE_URL: services.edgeUrl, CLOUDPHONE_KEY: key },
    },
    adbServerPort,
    folder,
    cutPower: async () => {
      await phones.trouble(phoneId, { failsToBoot: false, crash: true });
      await until(async () => (await stateOf()) !== 'running');
    },
    startPhone: async () => {
      await until(async () => (await api.get(`/v1/devices/${DEMO}`)).body.device?.job === undefined);
      if ((await stateOf()) !== 'running') await api.done(await api.post(`/v1/devices/${DEMO}/start`));
      await until(async () => (await stateOf()) === 'running');
    },
    killAndStart: async (name) => {
      await services.kill(name);
      await services.start(name);
    },
    close: async () => {
      await services.device.stop();
      await phones.quit();
      await services.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the errors that the services have logged, without those of requests that were 503 as a service or the phone was away. */
export function faultsOf({ all }: SeparateServices): string[] {
  const isOfAway = /"error":"unavailable"|"msg":"The phone broke off/;
  return all
    .flatMap(({ said }) => said.split('\n'))
    .filter((line) => /"level":"(error|fatal)"/.test(line) && !isOfAway.test(line));
}
