import type { App, Target } from '../apps/app.js';
import { stubApp } from '../apps/stub.js';
import { parseComponent } from '../component-name.js';
import type { Packages } from '../system.js';

export const LAUNCHER_PACKAGE = 'com.cloudphone.launcher';
export const HOME = '.Home';

/** An activity of an app, by its short name: `.Main`. */
export interface FoundActivity {
  app: App;
  name: string;
}

/** Finds the activity for a target: of the phone's own apps, and of the installed ones, which show a screen with their name. */
export class ActivityFinder {
  readonly #builtIn: ReadonlyMap<string, App>;
  readonly #installed: Packages;

  constructor(apps: readonly App[], installed: Packages) {
    this.#builtIn = new Map(apps.map((app) => [app.package, app]));
    this.#installed = installed;
  }

  /** Whether a package is part of the phone, or installed. */
  has(packageName: string): boolean {
    return this.#app(packageName) !== undefined;
  }

  /** `no-such-activity`: a component that does not exist. `unresolved`: no app for the package or the action. */
  find(target: Target): FoundActivity | 'no-such-activity' | 'unresolved' {
    if ('component' in target) {
      const wanted = parseComponent(target.component);
      const app = wanted && this.#app(wanted.package);
      if (!wanted || !app || !(wanted.name in app.activities)) return 'no-such-activity';
      return { app, name: wanted.name };
    }
    if ('package' in target) {
      const app = this.#app(target.package);
      // The launcher's own activity does not show among the apps.
      const name = app?.launcherActivity ?? (app?.package === LAUNCHER_PACKAGE ? HOME : undefined);
      return app && name !== undefined ? { app, name } : 'unresolved';
    }
    for (const app of this.#builtIn.values()) {
      const name = app.activityFor?.(target.action, target.data);
      if (name !== undefined) return { app, name };
    }
    return 'unresolved';
  }

  #app(packageName: string): App | undefined {
    const builtIn = this.#builtIn.get(packageName);
    if (builtIn) return builtIn;
    const installed = this.#installed.get(packageName);
    return installed && stubApp(installed);
  }
}
