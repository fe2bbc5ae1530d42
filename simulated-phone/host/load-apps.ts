import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../kit/async/clock.js';
import { within } from '../../kit/async/within.js';
import type { App } from '../apps/app.js';
import { builtInApps } from './built-in-apps.js';
import { checkApp } from '../apps/check-app.js';
import * as toolkit from '../apps/toolkit.js';

export type Toolkit = typeof toolkit;

/** The default export of an app's file. */
export type AppMaker = (ui: Toolkit) => App;

/** Most apps of a folder. Between the user ids of the built-in apps and those of installed apps, this many are left. */
const MAX_APPS = 30;

/** How long the code of one file may run before it returns its app, ms. */
const LOAD_MS = 10_000;

const APP_FILE = /^[^.].*\.m?js$/;

/**
 * Loads the apps of a folder. Each `.js` and `.mjs` file in it is an app; they are sorted by name. Subfolders hold the modules that apps
 * import. The files are the operator's code, which runs in this process like the phone's own code. Throws an error of one line for a file
 * that is no app. A phone that silently lacked an app would make tests fail for no visible reason.
 */
export async function loadApps(folder: string | undefined, clock: Clock): Promise<App[]> {
  if (folder === undefined) return [];
  const files = await appFiles(folder);
  if (files.length > MAX_APPS)
    throw new Error(`The apps folder ${folder} has ${files.length} files. A phone has room for ${MAX_APPS} apps.`);
  const owners = new Map(builtInApps.map((app) => [app.package, 'the phone itself']));
  const apps: App[] = [];
  for (const file of files) {
    const app = await loadApp(join(folder, file), clock);
    const owner = owners.get(app.package);
    if (owner !== undefined)
      throw new Error(`The app ${file} has the package ${app.package}, as ${owner} has. Rename it.`);
    owners.set(app.package, file);
    apps.push(app);
  }
  return apps;
}

async function appFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(`The apps folder ${folder} cannot be read (${code}).`, { cause: error });
  });
  const files = entries.filter((entry) => !entry.isDirectory() && APP_FILE.test(entry.name)).map(({ name }) => name);
  if (files.length === 0) throw new Error(`The apps folder ${folder} has no .js or .mjs file. See docs/phone.md.`);
  return files.sort();
}

async function loadApp(path: string, clock: Clock): Promise<App> {
  const onTimeout = (): Error => new Error(`its code takes longer than ${LOAD_MS / 1_000} s.`);
  const limit = { clock, timeoutMs: LOAD_MS, onTimeout };
  try {
    return checkApp(await within(limit, () => make(path)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The app ${path} cannot be loaded: ${reason.split('\n')[0] ?? ''}`, { cause: error });
  }
}

async function make(path: string): Promise<unknown> {
  const { default: maker } = (await import(pathToFileURL(path).href)) as { default?: unknown };
  if (typeof maker !== 'function') throw new Error('its default export is not a function that returns an app.');
  return (maker as (ui: Toolkit) => unknown)(toolkit);
}
