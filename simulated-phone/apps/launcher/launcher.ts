import type { App } from '../app.js';
import { appIcon } from '../app-icon.js';
import { homeActivity, type LauncherEntry } from './home.js';
import { recentsActivity } from './recents.js';

/** The home screen and the recents screen. They show the given apps and the installed ones. */
export function launcherApp(apps: readonly App[]): App {
  const own: LauncherEntry[] = apps
    .filter((app) => app.launcherActivity !== undefined)
    .map((app) => ({ package: app.package, label: app.label }));
  const ownNames = new Set(apps.map((app) => app.package));
  return {
    package: 'com.cloudphone.launcher',
    label: 'Home',
    drawIcon: appIcon('#2b5a86', 'apps'),
    activities: {
      '.Home': (context) =>
        homeActivity(context, () => [
          ...own,
          ...context.packages
            .list()
            .filter((known) => known.launcherActivity !== undefined && !ownNames.has(known.package))
            .map((known) => ({ package: known.package, label: known.label })),
        ]),
      '.Recents': recentsActivity,
    },
  };
}
