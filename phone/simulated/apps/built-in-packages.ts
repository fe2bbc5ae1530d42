import type { InstalledPackage } from '../system.js';
import { builtInApps } from './built-in-apps.js';

/** What `pm list packages` and the like know of the built-in apps. `imageTimeMs`: when the system image was made, epoch ms. */
export function builtInPackages(imageTimeMs: number): InstalledPackage[] {
  return builtInApps.map((app) => ({
    package: app.package,
    label: app.label,
    versionName: app.versionName,
    versionCode: app.versionCode,
    system: true,
    firstInstallTimeMs: imageTimeMs,
    lastUpdateTimeMs: imageTimeMs,
    ...(app.launcherActivity === undefined ? {} : { launcherActivity: `${app.package}/${app.launcherActivity}` }),
  }));
}
