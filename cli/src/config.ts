import { isAbsolute, join } from 'node:path';

/** What the environment sets. */
export interface Settings {
  /** CLOUDPHONE_URL. Undefined: the file of services has the URL. */
  url: string | undefined;
  /** CLOUDPHONE_KEY. Undefined: the file of services has the key. */
  key: string | undefined;
  /** The file with the services that were logged in to. */
  servicesFile: string;
  /** Folders in which adb is looked for, first those of PATH. */
  programFolders: readonly string[];
  /** The port of adb's server, of ANDROID_ADB_SERVER_PORT. */
  adbServerPort: number;
  /** Everything, for the programs that this one starts. */
  environment: NodeJS.ProcessEnv;
}

/** The port of adb's server, unless it is set. */
const ADB_SERVER_PORT = 5_037;

/** Reads the environment. `home` is the user's home folder. */
export function readSettings(environment: NodeJS.ProcessEnv, home: string): Settings {
  const { XDG_CONFIG_HOME: xdg = '', PATH = '', ANDROID_HOME, ANDROID_SDK_ROOT } = environment;
  // The specification of XDG has relative paths ignored.
  const folder = isAbsolute(xdg) ? xdg : join(home, '.config');
  const sdks = [ANDROID_HOME, ANDROID_SDK_ROOT].filter((sdk) => sdk !== undefined && sdk !== '');
  return {
    url: given(environment['CLOUDPHONE_URL']),
    key: given(environment['CLOUDPHONE_KEY']),
    servicesFile: join(folder, 'cloudphone', 'config.json'),
    programFolders: [...PATH.split(':').filter(isAbsolute), ...sdks.map((sdk) => join(String(sdk), 'platform-tools'))],
    adbServerPort: portOf(environment['ANDROID_ADB_SERVER_PORT']) ?? ADB_SERVER_PORT,
    environment,
  };
}

function given(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value?.trim();
}

/** Returns a port number. Undefined: the variable is not set, or is none, which adb itself reports. */
function portOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) : undefined;
}
