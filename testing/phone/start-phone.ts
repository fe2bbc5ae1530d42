import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { AppReader } from '../../phone/apk/app-reader.js';
import { silentLog } from '../../kit/log/log.js';
import type { PhoneIdentity, InstalledPackage } from '../../simulated-phone/system/system.js';
import { SimulatedPhone } from '../../simulated-phone/phone/phone.js';
import type { SimulatedPhoneOptions } from '../../simulated-phone/phone/phone-options.js';
import { StillScreen } from './still-screen.js';
import { seededRandom } from '../seeded-random.js';

/** Reads the APKs of all phones. Its thread does not keep the process of the tests alive. */
const appReader = new AppReader({ clock: systemClock });

/** A booted phone with a still screen, in a folder of its own. For tests. */
export async function startPhone(
  options: Partial<SimulatedPhoneOptions> = {},
): Promise<{ phone: SimulatedPhone; directory: string; screen: StillScreen; port: number; stop: () => Promise<void> }> {
  const directory = options.directory ?? (await mkdtemp(path.join(os.tmpdir(), 'phone-')));
  let screen = new StillScreen();
  const phone = new SimulatedPhone({
    directory,
    identity: TEST_IDENTITY,
    exit: { type: 'direct', country: 'fr', timezone: 'Europe/Paris' },
    clock: systemClock,
    log: silentLog,
    random: seededRandom(7),
    builtIns: TEST_APPS,
    appReader,
    createScreen: () => (screen = new StillScreen()),
    createNetwork: (exit) => ({ exit, fetchText: () => Promise.reject(new Error('no network in this test')) }),
    bootMs: 0,
    ...options,
  });
  const port = await phone.boot();
  const stop = async (): Promise<void> => {
    await phone.shutdown();
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
  };
  return {
    phone,
    directory,
    get screen() {
      return screen;
    },
    port,
    stop,
  };
}

export const TEST_IDENTITY: PhoneIdentity = {
  phoneId: 'ph_test',
  name: 'testphone',
  serial: 'SIM0001',
  model: {
    model: 'phone-720p',
    name: 'Phone 720p',
    android: ['14'],
    screen: { width: 360, height: 640, density: 320 },
    memoryMb: 2048,
  },
  android: '14',
};

function app(name: string, label: string, activity: string): InstalledPackage {
  return {
    package: name,
    label,
    versionName: '1.0',
    versionCode: 1,
    system: true,
    launcherActivity: `${name}/${activity}`,
    firstInstallTimeMs: 1_767_225_600_000,
    lastUpdateTimeMs: 1_767_225_600_000,
  };
}

export const TEST_APPS: readonly InstalledPackage[] = [
  app('com.example.home', 'Home', '.HomeActivity'),
  app('com.example.notes', 'Notes', '.MainActivity'),
];
