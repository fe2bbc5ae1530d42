import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/clock.js';
import { silentLog } from '../../kit/log.js';
import { builtInApps } from '../../phone/simulated/apps/built-in-apps.js';
import { builtInPackages } from '../../phone/simulated/apps/built-in-packages.js';
import { simulatedModels } from '../../phone/simulated/models.js';
import { createPhoneNetwork } from '../../phone/simulated/network/phone-network.js';
import { SimulatedPhone } from '../../phone/simulated/phone.js';
import { createScreen } from '../../phone/simulated/screen/simulated-screen.js';
import { createDrawing } from '../../phone/simulated/ui/drawing.js';

import { KeptLink } from '../adb/kept-link.js';

export interface RealPhone {
  phone: SimulatedPhone;
  port: number;
  /** Runs a command on the phone, past the service. */
  shell(command: string): Promise<string>;
  close(): Promise<void>;
}

/** A booted simulated phone in a folder of its own. */
export async function bootPhone(options: { android?: string; model?: string } = {}): Promise<RealPhone> {
  const directory = await mkdtemp(join(tmpdir(), 'screen-phone-'));
  const model = simulatedModels.find((one) => one.model === (options.model ?? 'phone-720p'));
  if (model === undefined) throw new Error('no such model');
  const drawing = createDrawing();
  const phone = new SimulatedPhone({
    directory,
    identity: { phoneId: 'ph_1', name: 'phone', serial: 'TEST0001', model, android: options.android ?? '14' },
    exit: { type: 'direct', country: 'de', timezone: 'Europe/Berlin' },
    clock: systemClock,
    log: silentLog,
    random: seeded(),
    builtIns: builtInPackages(Date.UTC(2026, 0, 1)),
    createScreen: (system) => createScreen(system, { drawing, apps: builtInApps }),
    createNetwork: (exit) => createPhoneNetwork(exit, { clock: systemClock, allowPrivateTargets: false }),
    bootMs: 0,
  });
  const port = await phone.boot();
  const link = new KeptLink({
    host: '127.0.0.1',
    port,
    clock: systemClock,
    connectSocket: (host, to) => connect({ host, port: to }),
    connectTimeoutMs: 5_000,
  });
  return {
    phone,
    port,
    shell: async (command) => {
      const options = { timeoutMs: 10_000, maxBytes: 1_000_000, doing: 'run a command' };
      return (await link.shell(command, options)).stdout.toString();
    },
    close: async () => {
      link.close();
      await phone.shutdown();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A small linear congruential generator: the same phone in every run. */
function seeded(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
