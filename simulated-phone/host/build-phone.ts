import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { AppReader } from '../../phone/apk/app-reader.js';
import type { PhoneConditions } from '../../phone/conditions.js';
import type { PhoneExit, PhoneSpec } from '../../phone/driver.js';
import type { App } from '../apps/app.js';
import { phoneApps } from './built-in-apps.js';
import { serialOf } from '../system/identity.js';
import { simulatedModels } from '../system/models.js';
import { createPhoneNetwork } from '../network/phone-network.js';
import { SlowLink } from '../network/slow-link.js';
import { SimulatedPhone } from '../phone/phone.js';
import type { SimulatedPhoneOptions } from '../phone/phone-options.js';
import { createScreen } from '../screen/simulated-screen.js';
import type { InstalledPackage, PhoneIdentity } from '../system/system.js';
import { createDrawing } from '../ui/drawing.js';

export interface BuildPhoneOptions extends Pick<
  SimulatedPhoneOptions,
  | 'listen'
  | 'trustedKeys'
  | 'rebootable'
  | 'processMemory'
  | 'hostSpace'
  | 'videoEncoders'
  | 'hostKernel'
  | 'datagrams'
  | 'bootProperties'
> {
  clock: Clock;
  log: Log;
  /** Returns a random number, 0 <= n < 1. */
  random: () => number;
  /** How long a boot takes, ms. */
  bootMs: number;
  storageBytes: number;
  allowPrivateTargets: boolean;
  /** Apps that phones have in addition to their own. Absent: none. */
  extraApps?: readonly App[];
}

/** When the phone's own apps were installed, for `dumpsys package`: the date of the system image, the same for every phone. */
const IMAGE_BUILT_MS = Date.UTC(2026, 0, 1);

/** Returns a function that builds phones of the service's models. */
export function phoneBuilder(options: BuildPhoneOptions): (phone: PhoneSpec, directory: string) => SimulatedPhone {
  const assemble = phoneAssembler(options);
  return (phone, directory) => {
    const model = simulatedModels.find((candidate) => candidate.model === phone.model);
    if (model === undefined) throw new Error(`There is no simulated model ${phone.model}.`);
    const { phoneId, name, android, exit, conditions } = phone;
    return assemble({ phoneId, name, serial: serialOf(phone), model, android }, exit, directory, conditions);
  };
}

/** Returns a function that builds simulated phones of any identity. Fonts, canvases and text layouts are shared by all of them. */
export function phoneAssembler({
  clock,
  log,
  random,
  allowPrivateTargets,
  extraApps = [],
  ...sizes
}: BuildPhoneOptions): (
  identity: PhoneIdentity,
  exit: PhoneExit,
  directory: string,
  conditions?: PhoneConditions,
) => SimulatedPhone {
  const drawing = createDrawing();
  const appReader = new AppReader({ clock });
  const apps = phoneApps(extraApps);
  const builtIns = apps.map((app): InstalledPackage => ({
    package: app.package,
    label: app.label,
    versionName: '1.0',
    versionCode: 1,
    system: true,
    ...(extraApps.includes(app) && { updatable: true as const }),
    firstInstallTimeMs: IMAGE_BUILT_MS,
    lastUpdateTimeMs: IMAGE_BUILT_MS,
    ...(app.launcherActivity !== undefined && { launcherActivity: `${app.package}/${app.launcherActivity}` }),
  }));
  return (identity, exit, directory, conditions = {}) =>
    new SimulatedPhone({
      ...sizes,
      directory,
      identity,
      exit,
      conditions,
      clock,
      log,
      random,
      builtIns,
      appReader,
      createScreen: (system) => createScreen(system, { drawing, apps }),
      createNetwork: (to, system) => {
        const link = new SlowLink({ quality: () => system.conditions.network, clock, random });
        return createPhoneNetwork(to, { clock, allowPrivateTargets, link });
      },
    });
}
