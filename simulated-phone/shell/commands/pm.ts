import { CHOOSER_COMPONENT } from '../../apps/chooser/chooser.js';
import { longComponent, shortComponent } from '../../system/component-name.js';
import type { Machine } from '../../machine/machine.js';
import { CommandFailure, pathOf, type Command, type CommandCall, print } from '../command.js';
import { intentTarget } from './am.js';
import { parseIntent } from './intent.js';
import { installFromFile, installFromStream, sessionCommands } from './pm-install.js';
import { PERMISSIONS, FEATURES } from './pm-lists.js';

/** `pm` and `cmd package`. */
export const pm: Command = async (call) => {
  const [verb = '', ...rest] = call.args;
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(call, withoutUser(rest));
  throw new CommandFailure(`Unknown command: ${verb}`, { bare: true, status: 255 });
};

/** Removes the option for the user, as user 0 is the only one. */
function withoutUser(args: readonly string[]): string[] {
  return args.filter((word, at) => word !== '--user' && args[at - 1] !== '--user');
}

const say = async ({ stdout }: CommandCall, text: string, status = 0): Promise<number> => {
  await stdout.write(`${text}\n`);
  return status;
};

const VERBS: Record<string, (call: CommandCall, args: string[]) => Promise<number>> = {
  list,
  path: async (call, args) => {
    const found = call.machine.packages.get(args.at(-1) ?? '');
    if (found === undefined) return 1;
    const paths = call.machine.packages.apkPaths(found);
    return say(call, paths.map((one) => `package:${one}`).join('\n'));
  },
  install: (call, args) => (installSource(args) === undefined ? installFromStream(call, args) : installFromFile(call, args, pathOf(call, installSource(args) ?? ''))), // prettier-ignore
  ...sessionCommands,
  uninstall: async (call, args) => {
    const name = args.filter((word) => !word.startsWith('-')).at(0) ?? '';
    const { packages, screen, processes, instrumentations } = call.machine;
    const found = packages.get(name);
    if (!found) return say(call, 'Failure [DELETE_FAILED_INTERNAL_ERROR]', 1);
    if (found.system) return say(call, `Failure [DELETE_FAILED_INTERNAL_ERROR]`, 1);
    screen.forceStop(name);
    instrumentations.stop(name);
    processes.stopApp(name);
    await packages.uninstall(name);
    return say(call, 'Success');
  },
  clear: async (call, args) => {
    const name = args.at(-1) ?? '';
    if (!call.machine.packages.get(name)) return say(call, 'Failed', 1);
    call.machine.screen.forceStop(name);
    call.machine.processes.stopApp(name);
    await call.machine.files.removeTree(`/data/data/${name}`).catch(() => undefined); // it may never have kept anything
    return say(call, 'Success');
  },
  grant: (call, args) => permission(call, args),
  revoke: (call, args) => permission(call, args),
  enable: (call, args) => state(call, args, 'enabled'),
  disable: (call, args) => state(call, args, 'disabled-user'),
  'disable-user': (call, args) => state(call, args, 'disabled-user'),
  'resolve-activity': async (call, args) => {
    const { resolved } = found(call, args, 'resolve-activity');
    if (resolved === undefined) return say(call, 'No activity found');
    if (args.includes('--brief')) return say(call, `${MATCH_HEAD}\n${resolved}`);
    return say(call, `  ${MATCH_HEAD}\n  ActivityInfo:\n${activityBlock(call, resolved)}`);
  },
  'query-activities': async (call, args) => {
    const { components } = found(call, args, 'query-activities');
    if (components.length === 0) return say(call, 'No activities found');
    const text = args.includes('--components')
      ? components.map((one) => `${one}\n`).join('')
      : args.includes('--brief')
        ? components.map((one) => `  ${MATCH_HEAD}\n  ${one}\n`).join('')
        : components.map((one, at) => `  Activity #${at}:\n    ${MATCH_HEAD}\n    ActivityInfo:\n${activityBlock(call, one)}\n`).join(''); // prettier-ignore
    const head = args.includes('--components') ? '' : `${components.length} activities found:\n`;
    return say(call, `${head}${text}`.trimEnd());
  },
  'has-feature': (call, args) => {
    const has = FEATURES.includes(args[0] ?? '');
    return say(call, String(has), has ? 0 : 1);
  },
  'get-install-location': (call) => say(call, '0[auto]'),
  'get-max-users': (call) => say(call, '4'),
  dump: (call, args) => call.run(['dumpsys', 'package', ...args]),
  'trim-caches': async () => 0,
  'set-installer': async () => 0,
  'bg-dexopt-job': (call) => say(call, 'Success'),
  compile: (call) => say(call, 'Success'),
};

function installSource(args: readonly string[]): string | undefined {
  const named = args.filter((word, at) => !word.startsWith('-') && !/^-[Sip]$|^--(abi|install-location|originating-uri|referrer|pkg|dexopt-compiler-filter)$/.test(args[at - 1] ?? '')); // prettier-ignore
  return named.at(0);
}

const MATCH_HEAD = 'priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true';

/** Returns the components for the intent of `args`. An intent that names only a package, or nothing, stands for icons of the launcher. */
function found(
  call: CommandCall,
  args: readonly string[],
  verb: string,
): { components: string[]; resolved: string | undefined } {
  const intent = parseIntent(args, verb);
  const { machine } = call;
  if (intent.component !== undefined) {
    const component = shortComponent(intent.component);
    const isThere = launchable(machine, component.split('/')[0]).some((one) => shortComponent(one) === component);
    return { components: isThere ? [component] : [], resolved: isThere ? component : undefined };
  }
  const isMain = intent.action === undefined || intent.action === 'android.intent.action.MAIN';
  if (isMain && intent.data === undefined && intent.type === undefined) {
    const components = machine.packages.list().flatMap((one) => (intent.package === undefined || intent.package === one.package ? (one.launcherActivity ?? []) : [])); // prettier-ignore
    return { components, resolved: components.length > 1 && intent.package === undefined ? CHOOSER_COMPONENT : components[0] }; // prettier-ignore
  }
  return machine.screen.query(intentTarget(intent));
}

function launchable(machine: Machine, packageName: string | undefined): string[] {
  const known = machine.packages.get(packageName ?? '');
  return [...(known?.launcherActivity === undefined ? [] : [known.launcherActivity]), ...(known?.activities ?? []).map(({ component }) => component)]; // prettier-ignore
}

function activityBlock({ machine }: CommandCall, component: string): string {
  const [name = '', activity = ''] = longComponent(component).split('/');
  return (
    `    name=${activity}\n    packageName=${name}\n    enabled=true exported=true\n` +
    `    ApplicationInfo:\n      packageName=${name}\n      nonLocalizedLabel=${machine.packages.get(name)?.label ?? name}`
  );
}

async function list(call: CommandCall, args: string[]): Promise<number> {
  const [what = '', ...words] = args;
  const { machine, stdout } = call;
  switch (what) {
    case 'package':
    case 'packages': {
      const filter = words.filter((word) => !word.startsWith('-')).at(-1);
      const has = (flag: string): boolean => words.includes(flag);
      const shown = machine.packages.list().filter((one) => {
        const disabled = machine.packages.isDisabled(one.package);
        if ((has('-3') && one.system) || (has('-s') && !one.system)) return false;
        if ((has('-d') && !disabled) || (has('-e') && disabled)) return false;
        return filter === undefined || one.package.includes(filter);
      });
      for (const one of shown) {
        let line = `package:${has('-f') ? `${machine.packages.apkPath(one)}=` : ''}${one.package}`;
        if (has('--show-versioncode')) line += ` versionCode:${one.versionCode}`;
        if (has('-U')) line += ` uid:${machine.packages.uidOf(one.package)}`;
        if (has('-i')) line += `  installer=${one.system ? 'null' : 'com.android.shell'}`;
        await stdout.write(`${line}\n`);
      }
      return 0;
    }
    case 'features':
      return print(stdout, `feature:reqGlEsVersion=0x30000\n${FEATURES.map((name) => `feature:${name}\n`).join('')}`);
    case 'libraries':
      return print(stdout, 'library:android.ext.shared\nlibrary:android.test.base\nlibrary:org.apache.http.legacy\n');
    case 'permissions':
      return print(stdout, `All Permissions:\n\n${PERMISSIONS.map((name) => `  permission:${name}\n`).join('')}`);
    case 'users':
      return print(stdout, 'Users:\n\tUserInfo{0:Owner:c13} running\n');
    case 'instrumentation':
      return print(
        stdout,
        machine.instrumentations.list().map(({ component, target }) => `instrumentation:${component} (target=${target})\n`).join(''), // prettier-ignore
      );
    case 'permission-groups':
    case 'staged-sessions':
      return 0;
    default:
      throw new CommandFailure(`Error: unknown list type '${what}'`, { bare: true, status: 255 });
  }
}

async function permission(call: CommandCall, args: string[]): Promise<number> {
  const [name = '', wanted = ''] = args;
  const thrown = (text: string): CommandFailure => new CommandFailure(`\nException occurred while executing 'grant':\njava.lang.${text}`, { bare: true, status: 255 }); // prettier-ignore
  if (!call.machine.packages.get(name)) throw thrown(`IllegalArgumentException: Unknown package: ${name}`);
  const requested = call.machine.packages.permissionsOf(name);
  if (!requested.includes(wanted) && !call.machine.packages.get(name)?.system)
    throw thrown(`SecurityException: Package ${name} has not requested permission ${wanted}`);
  return 0;
}

async function state(call: CommandCall, args: string[], wanted: string): Promise<number> {
  const name = (args.at(-1) ?? '').split('/')[0] ?? '';
  if (!call.machine.packages.get(name)) throw new CommandFailure(`Error: java.lang.IllegalArgumentException: Unknown package: ${name}`, { bare: true, status: 255 }); // prettier-ignore
  call.machine.packages.setDisabled(name, wanted !== 'enabled');
  if (wanted !== 'enabled') call.machine.screen.forceStop(name);
  return say(call, `Package ${name} new state: ${wanted}`);
}
