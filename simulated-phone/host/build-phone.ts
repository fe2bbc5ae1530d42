import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { AppReader } from '../../phone/apk/app-reader.js';
import type { PhoneSpec } from '../../phone/driver.js';
import { builtInApps } from '../apps/built-in-apps.js';
import { serialOf } from '../identity.js';
import { simulatedModels } from '../models.js';
import { createPhoneNetwork } from '../network/phone-network.js';
import { SimulatedPhone } from '../phone.js';
import type { SimulatedPhoneOptions } from '../phone-options.js';
import { createScreen } from '../screen/simulated-screen.js';
import type { InstalledPackage } from '../system.js';
import { createDrawing } from '../ui/drawing.js';

export interface BuildPhoneOptions extends Pick<
  SimulatedPhoneOptions,
  'listen' | 'trustedKeys' | 'rebootable' | 'processMemory' | 'hostSpace' | 'videoEncoders' | 'hostKernel'
> {
  clock: Clock;
  log: Log;
  /** 0 <= n < 1. */
  random: () => number;
  /** How long a boot takes, ms. */
  bootMs: number;
  storageBytes: number;
  allowPrivateTargets: boolean;
}

/** When the phone's own apps were installed, for `dumpsys package`: the date of the system image, the same for every phone. */
const IMAGE_BUILT_MS = Date.UTC(2026, 0, 1);

/** Puts simulated phones together. Fonts, canvases and text layouts are shared by all of them. */
export function phoneBuilder({
  clock,
  log,
  random,
  allowPrivateTargets,
  ...sizes
}: BuildPhoneOptions): (phone: PhoneSpec, directory: string) => SimulatedPhone {
  const drawing = createDrawing();
  const appReader = new AppReader({ clock });
  const builtIns = builtInApps.map((app): InstalledPackage => ({
    package: app.package,
    label: app.label,
    versionName: '1.0',
    versionCode: 1,
    system: true,
    firstInstallTimeMs: IMAGE_BUILT_MS,
    lastUpdateTimeMs: IMAGE_BUILT_MS,
    ...(app.launcherActivity !== undefined && { launcherActivity: `${app.package}/${app.launcherActivity}` }),
  }));
  return (phone, directory) => {
    const model = simulatedModels.find((candidate) => candidate.model === phone.model);
    if (model === undefined) throw new Error(`There is no simulated model ${phone.model}.`);
    return new SimulatedPhone({
      ...sizes,
      directory,
      identity: {
        phoneId: phone.phoneId,
        name: phone.name,
        serial: serialOf(phone),
        model,
        android: phone.android,
      },
      exit: phone.exit,
      clock,
      log,
      random,
      builtIns,
      appReader,
      createScreen: (system) => createScreen(system, { drawing, apps: builtInApps }),
      createNetwork: (exit) => createPhoneNetwork(exit, { clock, allowPrivateTargets }),
    });
  };
}
