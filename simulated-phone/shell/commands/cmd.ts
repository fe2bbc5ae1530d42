import { CommandFailure, type Command, type CommandCall, print } from '../command.js';
import { notification, statusbar } from './notification.js';
import { setMobileData, setWifi } from './svc.js';

/** `cmd SERVICE ...`: talks to a system service. */
export const cmd: Command = async (call) => {
  const [service = '', ...args] = call.args;
  if (service === '-l') return call.run(['service', 'list']);
  const alias = Object.hasOwn(PROGRAMS, service) ? PROGRAMS[service] : undefined;
  if (alias !== undefined) return call.run([alias, ...args]);
  const run = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
  if (!run) throw new CommandFailure(`Can't find service: ${service}`, { status: 20 });
  return run(call, args);
};

/** Services whose commands are programs of their own. */
const PROGRAMS: Record<string, string> = {
  package: 'pm',
  activity: 'am',
  window: 'wm',
  settings: 'settings',
  input: 'input',
  input_method: 'ime',
};

const say = async ({ stdout }: CommandCall, text: string): Promise<number> => {
  return print(stdout, `${text}\n`);
};

const SERVICES: Record<string, (call: CommandCall, args: string[]) => Promise<number>> = {
  connectivity: async (call, args) => {
    const { settings } = call.machine;
    if (args[0] !== 'airplane-mode') return 0;
    if (args[1] === undefined)
      return say(call, settings.get('global', 'airplane_mode_on') === '1' ? 'enabled' : 'disabled');
    settings.put('global', 'airplane_mode_on', args[1] === 'enable' ? '1' : '0');
    return 0;
  },
  location: async (call, args) => {
    const { settings } = call.machine;
    if (args[0] === 'is-location-enabled') return say(call, String(settings.get('secure', 'location_mode') !== '0'));
    if (args[0] === 'set-location-enabled') settings.put('secure', 'location_mode', args[1] === 'true' ? '3' : '0');
    return 0;
  },
  alarm: async (call, args) => {
    if (args[0] === 'set-timezone' && args[1] !== undefined) {
      if (!isTimeZone(args[1])) throw new CommandFailure(`Error: unknown zone ${args[1]}`, { bare: true, status: 255 });
      call.machine.properties.set('persist.sys.timezone', args[1]);
    }
    return 0;
  },
  wifi: async (call, args) => {
    if (args[0] === 'set-wifi-enabled') setWifi(call.machine, args[1] === 'enabled');
    if (args[0] === 'status') return say(call, call.machine.settings.get('global', 'wifi_on') === '1' ? 'Wifi is enabled\nWifi is connected to "CloudPhone"' : 'Wifi is disabled'); // prettier-ignore
    return 0;
  },
  phone: async (call, args) => {
    if (args[0] === 'data') setMobileData(call.machine, args[1] === 'enable');
    return 0;
  },
  uimode: async (call, args) => {
    const { settings } = call.machine;
    if (args[0] !== 'night') return 0;
    if (args[1] !== undefined) settings.put('secure', 'ui_night_mode', args[1] === 'yes' ? '2' : '1');
    return say(call, `Night mode: ${settings.get('secure', 'ui_night_mode') === '2' ? 'yes' : 'no'}`);
  },
  locale: async (call, args) => (args[0] === 'get-app-locales' ? say(call, `Locales for ${args[1] ?? ''} for user 0 are []`) : 0), // prettier-ignore
  overlay: async () => 0,
  statusbar,
  notification,
  appops: async () => 0,
  deviceidle: async () => 0,
  power: async (_call, args) => {
    if (['reboot', 'shutdown'].includes(args[0] ?? '')) throw new CommandFailure('Security exception: uid 2000 does not have android.permission.REBOOT.', { bare: true, status: 255 }); // prettier-ignore
    return 0;
  },
  battery: async () => 0,
  display: async () => 0,
  lock_settings: async (call, args) => (args[0] === 'get-disabled' ? say(call, 'true') : 0),
};

/** Whether the host knows the zone by its IANA name. */
function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
