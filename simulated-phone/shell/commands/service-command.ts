import { CommandFailure, type Command, print } from '../command.js';

const SERVICES: [name: string, interfaceName: string][] = [
  ['activity', 'android.app.IActivityManager'],
  ['activity_task', 'android.app.IActivityTaskManager'],
  ['alarm', 'android.app.IAlarmManager'],
  ['battery', ''],
  ['connectivity', 'android.net.IConnectivityManager'],
  ['display', 'android.hardware.display.IDisplayManager'],
  ['input', 'android.hardware.input.IInputManager'],
  ['input_method', 'com.android.internal.view.IInputMethodManager'],
  ['meminfo', ''],
  ['package', 'android.content.pm.IPackageManager'],
  ['power', 'android.os.IPowerManager'],
  ['settings', ''],
  ['SurfaceFlinger', 'android.ui.ISurfaceComposer'],
  ['uiautomator', ''],
  ['wifi', 'android.net.wifi.IWifiManager'],
  ['window', 'android.view.IWindowManager'],
];

/** `service list|check|call`. Until Android's system starts during boot, SurfaceFlinger is the only service. */
export const service: Command = async ({ args, machine, stdout }) => {
  const [verb = '', name = ''] = args;
  const isUp = machine.properties.get('init.svc.bootanim') !== '';
  const known = isUp ? SERVICES : SERVICES.filter(([one]) => one === 'SurfaceFlinger');
  switch (verb) {
    case 'list':
      await stdout.write(`Found ${known.length} services:\n`);
      for (const [at, [one, type]] of known.entries()) await stdout.write(`${at}\t${one}: [${type}]\n`);
      return 0;
    case 'check':
      return print(stdout, `Service ${name}: ${known.some(([one]) => one === name) ? 'found' : 'not found'}\n`);
    case 'call':
      if (!known.some(([one]) => one === name)) throw new CommandFailure(`service: Service ${name} does not exist`, { bare: true }); // prettier-ignore
      return print(stdout, "Result: Parcel(00000000    '....')\n");
    default:
      throw new CommandFailure('Usage: service [-h|-?]\n       service list\n       service check SERVICE', { bare: true, status: 10 }); // prettier-ignore
  }
};
