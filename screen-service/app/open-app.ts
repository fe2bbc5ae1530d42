import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { sendCommand } from '../input/send-command.js';
import { readLauncherApps } from './launcher-apps.js';

const PACKAGE_NAME = /^[a-zA-Z]\w*(\.\w+)+$/;

/** Brings an app to the front, starting it if need be. Throws not_found when it is not installed or has nothing to open. */
export async function openApp(call: Call, kept: KeptPhone, app: string): Promise<{ package: string }> {
  const component = await findComponent(call, kept, app);
  if (component === undefined) throw noSuchApp('open_app.app', kept, app);
  const command =
    'am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000 ' +
    `-n ${shellQuote(component)}`;
  const output = await sendCommand(call, kept, command, `open ${component}`);
  if (/^Error/m.test(output)) {
    throw new ApiError('not_found', `open_app.app: ${JSON.stringify(app)} is installed but cannot be opened.`);
  }
  return { package: component.slice(0, component.indexOf('/')) };
}

/** The package of an app given as `open_app` takes it. A package name is returned as it is, installed or not. Throws not_found. */
export async function packageOf(call: Call, kept: KeptPhone, app: string, field: string): Promise<string> {
  if (PACKAGE_NAME.test(app)) return app;
  const component = await findComponent(call, kept, app);
  if (component === undefined) throw noSuchApp(field, kept, app);
  return component.slice(0, component.indexOf('/'));
}

function noSuchApp(field: string, { phone }: KeptPhone, app: string): ApiError {
  return new ApiError(
    'not_found',
    `${field}: no app ${JSON.stringify(app)} can be opened on this phone. Use the package name of an installed app, or its ` +
      `label; GET /v1/devices/${phone.name}/apps lists them.`,
  );
}

/** A package by its name, which is exact; else an app by its label, in any case. */
async function findComponent(call: Call, kept: KeptPhone, app: string): Promise<string | undefined> {
  if (PACKAGE_NAME.test(app)) {
    const component = await resolveLauncher(call, kept, app);
    if (component !== undefined) return component;
  }
  const wanted = app.trim().toLocaleLowerCase('en');
  const apps = await readLauncherApps(call, kept);
  const named = apps.find(
    ({ label, package: name }) => label?.toLocaleLowerCase('en') === wanted || name.toLowerCase() === wanted,
  );
  if (named !== undefined) return named.component;
  // Where labels are not known: the last part of the package name is mostly the app's common name.
  const nicknamed = apps.filter((one) => one.label === undefined && one.package.split('.').at(-1) === wanted);
  return nicknamed.length === 1 ? nicknamed[0]?.component : undefined;
}

async function resolveLauncher(call: Call, kept: KeptPhone, name: string): Promise<string | undefined> {
  const { stdout } = await kept.command(
    call,
    `cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER ${shellQuote(name)}`,
    'look up an app',
  );
  const component = stdout.toString('utf8').trim().split('\n').at(-1)?.trim() ?? '';
  return component.startsWith(`${name}/`) ? component : undefined;
}
