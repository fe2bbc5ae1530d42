import { longComponent } from '../../system/component-name.js';
import type { AppFailure } from '../../system/system.js';
import type { IntentTarget, Target } from '../../system/target.js';
import type { Machine } from '../../machine/machine.js';
import { CommandFailure, type Command, type CommandCall, print } from '../command.js';
import { instrument } from './instrument.js';
import { parseIntent, shownIntent, type Intent } from './intent.js';
import { handleTextBroadcast } from './text-broadcast.js';

export const am: Command = async (call) => {
  const [verb = '', ...args] = call.args;
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(call, args);
  throw new CommandFailure(`Error: unknown command '${verb}'`, { bare: true, status: 255 });
};

const quiet = async (): Promise<number> => 0;

const VERBS: Record<string, (call: CommandCall, args: string[]) => Promise<number>> = {
  start: start,
  'start-activity': start,
  startservice: service,
  'start-service': service,
  'start-foreground-service': service,
  stopservice: quiet,
  'stop-service': quiet,
  broadcast: async (call, args) => {
    const intent = parseIntent(args, 'broadcast');
    await call.stdout.write(`Broadcasting: ${shownIntent(intent, { flags: '0x400000' })}\n`);
    const response = handleTextBroadcast(call.machine, intent);
    return print(call.stdout, `Broadcast completed: result=${response ?? 0}\n`);
  },
  'force-stop': async ({ machine }, args) => {
    const name = args.at(-1) ?? '';
    machine.screen.forceStop(name);
    machine.instrumentations.stop(name);
    machine.processes.stopApp(name);
    return 0;
  },
  crash: async (call, args) => failApp(call, args, args.includes('--native') ? 'native' : 'java'),
  hang: async (call, args) => failApp(call, args, 'hang'),
  kill: quiet,
  'kill-all': quiet,
  'set-debug-app': quiet,
  'clear-debug-app': quiet,
  'get-current-user': ({ stdout }) => print(stdout, '0\n'),
  'switch-user': quiet,
  'get-config': ({ machine, stdout }) =>
    print(
      stdout,
      `config: en-rUS-port-${machine.screen.density}dpi\nabi: ${machine.properties.get('ro.product.cpu.abilist')}\n`,
    ),
  stack: async ({ machine, stdout }) => {
    const { foreground, width, height } = machine.screen;
    const component = longComponent(`${foreground.package}/${foreground.activity}`);
    const bounds = `bounds=[0,0][${width},${height}]`;
    return print(
      stdout,
      `RootTask id=1 ${bounds} displayId=0 userId=0\n` +
        `  taskId=1: ${component} ${bounds} userId=0 visible=true topActivity=ComponentInfo{${component}}\n`,
    );
  },
  instrument,
};

async function start(call: CommandCall, args: string[]): Promise<number> {
  const { machine, stdout, stderr } = call;
  const waits = args.includes('-W');
  const intent = parseIntent(args, 'start');
  if (args.includes('-S')) machine.screen.forceStop(intent.component?.split('/')[0] ?? intent.package ?? '');
  await stdout.write(`Starting: ${shownIntent(intent)}\n`);
  const outcome = launch(machine, intent);
  switch (outcome.kind) {
    case 'no-such-activity':
      await stderr.write(
        `Error type 3\nError: Activity class {${longComponent(intent.component ?? '')}} does not exist.\n`,
      );
      return 1;
    case 'not-exported': {
      const shown = shownIntent({ categories: [], extras: new Map(), ...(intent.component !== undefined && { component: intent.component }) }, { flags: '0x10000000' }); // prettier-ignore
      await stderr.write(
        `\nException occurred while executing 'start':\njava.lang.SecurityException: Permission Denial: starting ${shown} from null (pid=${call.pid}, uid=2000) not exported from uid ${machine.packages.uidOf(intent.component?.split('/')[0] ?? '')}\n`,
      );
      return 255;
    }
    case 'unresolved':
      await stderr.write(
        `Error: Activity not started, unable to resolve ${shownIntent(intent, { flags: '0x10000000' })}\n`,
      );
      return 1;
    case 'brought-to-front':
      await stderr.write('Warning: Activity not started, intent has been delivered to currently running top-most instance.\n'); // prettier-ignore
      if (waits) await stdout.write(`Status: ok\nLaunchState: UNKNOWN (0)\nActivity: ${outcome.component}\nTotalTime: 0\nWaitTime: 2\nComplete\n`); // prettier-ignore
      return 0;
    case 'started':
      if (!waits) return 0;
      await machine.clock.sleep(outcome.waitMs, call.signal);
      return print(stdout, `Status: ok\nLaunchState: COLD\nActivity: ${outcome.component}\nTotalTime: ${outcome.waitMs}\nWaitTime: ${outcome.waitMs + 3}\nComplete\n`); // prettier-ignore
  }
}

/** Opens the component of an intent and starts its process. */
export function launch(machine: Machine, intent: Intent): ReturnType<Machine['screen']['launch']> {
  const outcome = machine.screen.launch({
    ...targetOf(intent),
    ...(intent.extras.size > 0 && { extras: Object.fromEntries(intent.extras) }),
  });
  if (outcome.kind !== 'started') return outcome;
  const [name = ''] = outcome.component.split('/');
  const pid = machine.processes.ensureApp(name, machine.packages.uidOf(name));
  machine.logcat.writeTo('system', 'I', 'ActivityTaskManager', `START u0 ${shownIntent(intent)} from uid 2000`);
  machine.logcat.writeTo('system', 'I', 'ActivityManager', `Start proc ${pid}:${name}/u0a${machine.packages.uidOf(name) - 10_000} for next-top-activity {${outcome.component}}`); // prettier-ignore
  return outcome;
}

function targetOf({ component, action, data, categories, ...intent }: Intent): Target {
  if (component !== undefined) {
    const byIcon = action === 'android.intent.action.MAIN' && categories.includes('android.intent.category.LAUNCHER');
    return { component, byIcon, ...(data !== undefined && { data }) };
  }
  const isLauncher = action === undefined || categories.includes('android.intent.category.LAUNCHER');
  if (intent.package !== undefined && data === undefined && intent.type === undefined && isLauncher)
    return { package: intent.package };
  return intentTarget({ action, data, categories, ...intent });
}

/** Returns the target of an intent that names no component. Activities are searched for by this target. */
export function intentTarget({ action, data, type, categories, package: packageName }: Intent): IntentTarget {
  return {
    action: action ?? 'android.intent.action.VIEW',
    categories,
    ...(data !== undefined && { data }),
    ...(type !== undefined && { type }),
    ...(packageName !== undefined && { package: packageName }),
  };
}

/**
 * `am crash PACKAGE`, as on Android; an app that does not run is left alone. A simulated phone also has `am crash --native PACKAGE` and `am
 * hang PACKAGE`, as its shell cannot send signals to apps.
 */
async function failApp({ machine }: CommandCall, args: string[], failure: AppFailure): Promise<number> {
  const name = args.at(-1);
  if (name === undefined || name.startsWith('-'))
    throw new CommandFailure('Error: No package specified', { bare: true, status: 255 });
  machine.screen.fail(name, failure);
  return 0;
}

async function service({ stdout, machine }: CommandCall, args: string[]): Promise<number> {
  const intent = parseIntent(args, 'start-service');
  await stdout.write(`Starting service: ${shownIntent(intent)}\n`);
  const name = intent.component?.split('/')[0] ?? '';
  if (!machine.packages.get(name)) {
    await stdout.write('Error: Not found; no service started.\n');
    return 255;
  }
  return 0;
}
