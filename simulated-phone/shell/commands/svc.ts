import type { Machine } from '../../machine/machine.js';
import { CommandFailure, type Command } from '../command.js';
import { reboot } from './reboot.js';

/** `svc wifi|data|power|usb|bluetooth ...` */
export const svc: Command = async (call) => {
  const { args, machine } = call;
  const [what = '', verb = '', value = ''] = args;
  switch (what) {
    case 'wifi':
      setWifi(machine, verb === 'enable');
      return 0;
    case 'data':
      setMobileData(machine, verb === 'enable');
      return 0;
    case 'bluetooth':
      machine.settings.put('global', 'bluetooth_on', verb === 'enable' ? '1' : '0');
      return 0;
    case 'power':
      if (verb === 'stayon') {
        const modes: Record<string, string> = { true: '7', false: '0', ac: '1', usb: '2', wireless: '4' };
        machine.settings.put('global', 'stay_on_while_plugged_in', modes[value] ?? '0');
        return 0;
      }
      if (verb === 'reboot' && machine.reboot) return reboot({ ...call, args: args.slice(2) });
      throw new CommandFailure('Killed', { bare: true, status: 137 });
    case 'usb':
    case 'nfc':
      throw new CommandFailure(`Security exception: uid 2000 may not change ${what}`, { bare: true, status: 255 });
    default:
      throw new CommandFailure('Available commands:\n    help\n    power\n    data\n    wifi\n    bluetooth', {
        bare: true,
      });
  }
};

export function setWifi(machine: Machine, enabled: boolean): void {
  machine.settings.put('global', 'wifi_on', enabled ? '1' : '0');
}

export function setMobileData(machine: Machine, enabled: boolean): void {
  machine.settings.put('global', 'mobile_data', enabled ? '1' : '0');
}
