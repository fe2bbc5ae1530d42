import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { makeUpIds } from '../../simulated-phone/container/made-ids.js';
import { phoneAssembler } from '../../simulated-phone/host/build-phone.js';
import { EXTRA_APPS } from '../phone/extra-apps.js';
import type { Behaviour } from './behaviour.js';
import type { GuestConditions } from './guest-conditions.js';
import type { VirtualDevice } from './virtual-device.js';

/** A day: longer than anybody waits for a boot. */
const NEVER_MS = 86_400_000;

/** Boots the simulated phone that stands for the guest. */
export async function bootPhone(
  device: VirtualDevice,
  {
    adbPort,
    serial,
    behaviour,
    guest,
  }: { adbPort: number; serial: string; behaviour: Behaviour; guest: GuestConditions },
): Promise<void> {
  const state = join(device.folder, 'userdata');
  makeUpIds(join(state, 'data'), join(state, 'phone', 'settings.json'), randomBytes);
  const assemble = phoneAssembler({
    bootMs: behaviour.boot === 'never' ? NEVER_MS : (behaviour.bootMs ?? 50),
    storageBytes: 4 * 1024 ** 3,
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    extraApps: EXTRA_APPS,
    listen: { host: '127.0.0.1', port: adbPort },
    rebootable: true,
    bootProperties: new Map([
      ['ro.serialno', serial],
      ['ro.kernel.qemu', '1'],
      ['ro.boot.qemu', '1'],
      ['ro.boot.qemu.avd_name', device.name],
    ]),
    // The phone refuses no private address. As for a real guest, only the emulator's network restricts where it connects.
    allowPrivateTargets: true,
  });
  const { screen, memoryMb, android } = device;
  const model = { model: 'emulator', name: 'sdk_gphone64_x86_64', android: [android], screen, memoryMb };
  const identity = { phoneId: device.name, name: 'emu64x', serial, model, android };
  const phone = assemble(identity, { type: 'direct', country: 'zz', timezone: '' }, join(state, 'phone'));
  guest.onChange = (conditions) => phone.setConditions(conditions);
  phone.onTurnOff = () => {
    if (behaviour.ignoresShutdown !== true) process.exit(0);
  };
  if (behaviour.boot === 'silent') phone.faults.hang = true;
  if (behaviour.boot === 'exits') phone.faults.bootFailure = 'system';
  await phone.boot();
}
