import type { ApkActivity } from '../../phone/apk/app-activities.js';
import type { App } from '../apps/app.js';
import type { IntentTarget, Target } from '../system/target.js';
import { stubApp } from '../apps/stub.js';
import { parseComponent } from '../system/component-name.js';
import { matchesIntent, namesHost } from '../packages/match-intent.js';
import type { Packages } from '../system/system.js';

export const LAUNCHER_PACKAGE = 'com.cloudphone.launcher';
export const HOME = '.Home';

/** An activity of an app, by its short name: `.Main`. */
export interface FoundActivity {
  app: App;
  name: string;
}

/** Finds the activity for a target among the phone's own apps and the installed ones. A stub screen stands for an installed app. */
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

  /**
   * Finds an activity. `no-such-activity`: the component does not exist. `not-exported`: its app does not let others open it. `unresolved`:
   * no activity opens for the package or the action. `several`: a person has to choose among the result of `choices`.
   */
  find(target: Target): FoundActivity | 'no-such-activity' | 'not-exported' | 'unresolved' | 'several' {
    if ('component' in target) {
      const wanted = parseComponent(target.component);
      const app = wanted && this.#app(wanted.package);
      if (!wanted || !app || !Object.hasOwn(app.activities, wanted.name)) return 'no-such-activity';
      const { component } = target;
      const declared = this.#activities(wanted.package).find((one) => isSame(one.component, component));
      return declared?.exported === false ? 'not-exported' : { app, name: wanted.name };
    }
    if (!('action' in target)) {
      const app = this.#app(target.package);
      // The launcher's own activity does not show among the apps.
      const name = app?.launcherActivity ?? (app?.package === LAUNCHER_PACKAGE ? HOME : undefined);
      return app && name !== undefined ? { app, name } : 'unresolved';
    }
    const [only, another] = this.#preferred(target);
    if (another) return 'several';
    return only ?? 'unresolved';
  }

  /** Returns the components that take an intent without a component. The phone's own apps come first. */
  query(target: IntentTarget): FoundActivity[] {
    const own = [...this.#builtIn.values()].flatMap((app): FoundActivity[] => {
      const name = target.type === undefined ? app.activityFor?.(target.action, target.data) : undefined;
      return name === undefined ? [] : [{ app, name }];
    });
    const others = this.#installed.list().flatMap((one) =>
      own.some(({ app }) => app.package === one.package)
        ? []
        : this.#matching(one.package, target).flatMap(({ component }): FoundActivity[] => {
            const name = parseComponent(component)?.name;
            const app = this.#app(one.package);
            return name === undefined || app === undefined ? [] : [{ app, name }];
          }),
    );
    return [...own, ...others].filter(({ app }) => target.package === undefined || app.package === target.package);
  }

  /** Returns the components to choose from. A web address is opened by the app of the site, or else by browsers. */
  choices(target: IntentTarget): string[] {
    return this.#preferred(target).map(({ app, name }) => `${app.package}/${name}`);
  }

  #preferred(target: IntentTarget): FoundActivity[] {
    const all = this.query(target);
    if (!/^https?:/i.test(target.data ?? '') || target.package !== undefined) return all;
    const filtersOf = ({ app, name }: FoundActivity): ApkActivity['filters'] =>
      this.#matching(app.package, target)
        .filter(({ component }) => parseComponent(component)?.name === name)
        .flatMap(({ filters }) => filters.filter((filter) => matchesIntent(filter, target)));
    const verified = all.filter((one) => filtersOf(one).some((filter) => filter.autoVerify && namesHost(filter)));
    if (verified.length > 0) return verified;
    // Android 12 and later open a web link in an app only when its site confirms the app.
    return all.filter(
      (one) => this.#builtIn.has(one.app.package) || filtersOf(one).some((filter) => !namesHost(filter)),
    );
  }

  #matching(packageName: string, target: IntentTarget): readonly ApkActivity[] {
    return this.#activities(packageName).filter(
      ({ exported, filters }) => exported && filters.some((filter) => matchesIntent(filter, target)),
    );
  }

  #activities(packageName: string): readonly ApkActivity[] {
    return this.#installed.get(packageName)?.activities ?? [];
  }

  /**
   * Returns the app of a package. Where an installed APK has the package of a built-in app, a stub draws only the activities that the
   * built-in app lacks.
   */
  #app(packageName: string): App | undefined {
    const builtIn = this.#builtIn.get(packageName);
    const installed = this.#installed.get(packageName);
    if (builtIn === undefined) return installed && stubApp(installed);
    if (installed?.activities === undefined) return builtIn;
    return {
      ...stubApp(installed),
      ...builtIn,
      activities: { ...stubApp(installed).activities, ...builtIn.activities },
    };
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [parseComponent(one), parseComponent(other)];
  return a?.package === b?.package && a?.name === b?.name;
}
