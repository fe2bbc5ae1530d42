import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { sendCommand } from '../input/command/send-command.js';
import { foldCase, foldWords } from '../tree/fold-words.js';
import { findNear } from '../tree/near-words.js';
import { type LauncherApp, readLauncherApps } from './launcher-apps.js';

const PACKAGE_NAME = /^[a-zA-Z]\w*(\.\w+)+$/;

/** Most apps that an error lists. */
const MAX_CANDIDATES = 10;

/**
 * Brings an app to the front, starting it if need be. Throws not_found when the app is not installed or has no screen to open. Throws
 * bad_request when several apps have the given label.
 */
export async function openApp(call: Call, phoneSession: ReachedPhone, app: string): Promise<{ package: string }> {
  const component = await findComponent(call, phoneSession, app, 'open_app.app');
  const command =
    'am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000 ' +
    `-n ${shellQuote(component)}`;
  const output = await sendCommand(call, phoneSession, command, `open ${component}`);
  if (/^Error/m.test(output)) {
    throw new ApiError('not_found', `open_app.app: ${JSON.stringify(app)} is installed but cannot be opened.`);
  }
  return { package: component.slice(0, component.indexOf('/')) };
}

/**
 * Returns the package of an app, given by package name or label. A package name is returned as it is, installed or not. For a label, throws
 * not_found when no app has it, and bad_request when several apps have it.
 */
export async function packageOf(call: Call, phoneSession: ReachedPhone, app: string, field: string): Promise<string> {
  if (PACKAGE_NAME.test(app)) return app;
  const component = await findComponent(call, phoneSession, app, field);
  return component.slice(0, component.indexOf('/'));
}

/**
 * Returns the launcher component of an app. The app is found by its exact package name first, and then as appsNamed compares names and
 * labels.
 */
async function findComponent(call: Call, phoneSession: ReachedPhone, app: string, field: string): Promise<string> {
  if (PACKAGE_NAME.test(app)) {
    const component = await resolveLauncher(call, phoneSession, app);
    if (component !== undefined) return component;
  }
  const apps = await readLauncherApps(call, phoneSession);
  const named = appsNamed(apps, app);
  const [first] = named;
  const packages = new Set(named.map((one) => one.package));
  if (first !== undefined && packages.size === 1) return first.component;
  if (first !== undefined) {
    const several = `${field}: ${JSON.stringify(app)} is the label of ${packages.size} apps: ${listed(named)}.`;
    throw new ApiError('bad_request', `${several} Name one by its package.`);
  }
  throw new ApiError('not_found', noSuchApp(field, phoneSession, app, apps));
}

/** Returns the launcher's entries that have the name. The ways of comparing are tried in order until one finds any. */
export function appsNamed(apps: readonly LauncherApp[], app: string): LauncherApp[] {
  const [exact, folded] = [foldCase(app), foldWords(app)];
  const ways: ((one: LauncherApp) => boolean)[] = [
    ({ package: name }) => name.toLowerCase() === exact,
    ({ label }) => label !== undefined && foldCase(label) === exact,
    ({ label }) => label !== undefined && folded !== undefined && folded !== '' && foldWords(label) === folded,
    // Where labels are not known, the last part of the package name is mostly the app's common name.
    (one) => one.label === undefined && one.package.split('.').at(-1) === exact,
  ];
  for (const isNamed of ways) {
    const named = apps.filter(isNamed);
    if (named.length > 0) return named;
  }
  return [];
}

function noSuchApp(field: string, { phone }: ReachedPhone, app: string, apps: readonly LauncherApp[]): string {
  const none = `${field}: no app ${JSON.stringify(app)} can be opened on this phone.`;
  const all = `GET /v1/devices/${phone.name}/apps lists all.`;
  if (apps.length === 0) return `${none} Use the package name of an installed app; ${all}`;
  const near = findNear(apps, app, ({ label, package: name }) => [
    ...(label === undefined ? [] : [label]),
    name.split('.').at(-1) ?? '',
  ]);
  const what = near.length > 0 ? 'Similar are' : 'There are';
  return `${none} ${what}: ${listed(near.length > 0 ? near : apps)}. Use one of these labels or packages; ${all}`;
}

function listed(apps: readonly LauncherApp[]): string {
  const names = apps.map(({ label, package: name }) =>
    label === undefined ? name : `${JSON.stringify(label)} (${name})`,
  );
  const shown = [...new Set(names)];
  const more = shown.length > MAX_CANDIDATES ? [`and ${shown.length - MAX_CANDIDATES} more`] : [];
  return [...shown.slice(0, MAX_CANDIDATES), ...more].join('; ');
}

async function resolveLauncher(call: Call, phoneSession: ReachedPhone, name: string): Promise<string | undefined> {
  const { stdout } = await phoneSession.command(
    call,
    `cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER ${shellQuote(name)}`,
    'look up an app',
  );
  const component = stdout.toString('utf8').trim().split('\n').at(-1)?.trim() ?? '';
  return component.startsWith(`${name}/`) ? component : undefined;
}
