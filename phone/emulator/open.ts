import { randomBytes } from 'node:crypto';
import type { PhoneDriver } from '../driver.js';
import { ImageBasedDriver, type ImageBasedDriverOptions } from '../image-based/driver.js';
import { EmulatorEngine, type EmulatorEngineOptions } from './engine.js';
import { EmulatorSdk } from './sdk.js';

export interface OpenEmulatorsOptions
  extends Omit<ImageBasedDriverOptions, 'engine'>, Pick<EmulatorEngineOptions, 'phoneHost' | 'environment'> {
  /** ANDROID_HOME. */
  androidHome: string;
}

/** Opens the driver for phones in the emulator of the Android SDK, and adopts those that run. */
export async function openEmulatorDriver(options: OpenEmulatorsOptions): Promise<PhoneDriver> {
  const { androidHome: home, environment } = options;
  const sdk = new EmulatorSdk({ home, environment: { PATH: environment['PATH'] ?? '', ANDROID_HOME: home } });
  const engine = new EmulatorEngine({ ...options, sdk, randomBytes, isRoot: process.getuid?.() === 0 });
  const driver = new ImageBasedDriver({ ...options, engine });
  await driver.open();
  return driver;
}
