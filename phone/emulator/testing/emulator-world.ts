import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import pLimit from 'p-limit';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { AndroidHome } from '../../../testing/emulator/android-home.js';
import { skip } from '../../../testing/skip.js';
import type { PhoneEndpoint, PhoneSpec } from '../../driver.js';
import { ImageBasedDriver } from '../../image-based/driver.js';
import type { EmulatorModel } from '../../image-based/model.js';
import { shellOn } from '../../image-based/testing/image-based-world.js';
import { EmulatorEngine } from '../engine.js';
import { whyNoNamespace } from '../namespace.js';
import { killPhoneProcesses } from '../phone-processes.js';
import { EmulatorSdk } from '../sdk.js';
import type { EmulatorTimes } from '../times.js';

export const MODEL: EmulatorModel = {
  ...{ model: 'emulator-14', name: 'Android 14', android: ['14'], screen: { width: 360, height: 640, density: 160 } },
  ...{ memoryMb: 2_048, cpus: 2, diskMb: 4_096, bootLimitS: 60 },
  ...{ driver: 'emulator', systemImage: AndroidHome.image, gpu: 'swiftshader_indirect', args: ['-cores', '2'] },
};

/** Folders of the programs that emulators and namespaces need. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Short limits, because tests of faults wait until a limit is over. They suffice on a machine that is busy with other tests. */
const TIMES: EmulatorTimes = { launchMs: 20_000, shutdownMs: 20_000, stepMs: 1_000 };

/** Skips the tests on a machine that cannot run the stand-in emulator in a namespace of its own. */
export async function needsNamespaces(test: Context): Promise<void> {
  if (process.platform !== 'linux') skip(test, 'needs Linux');
  const isRoot = process.getuid?.() === 0;
  const reason = await whyNoNamespace({ folder: tmpdir(), seen: tmpdir(), isRoot });
  if (reason !== undefined) skip(test, reason);
}

/** A data folder, an SDK with the stand-in emulator, and a driver on both. `restart` replaces the driver, as a restarted service does. */
export class EmulatorWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'emulator-'));
  readonly data = join(this.directory, 'data');
  readonly sdk = new AndroidHome(join(this.directory, 'sdk'));
  readonly models: { value: EmulatorModel[]; close: () => void };
  /** The times of the next driver. */
  readonly times = { ...TIMES };
  readonly environment = { PATH };
  driver: ImageBasedDriver;
  engine: EmulatorEngine;

  constructor(model = MODEL) {
    this.models = { value: [model], close: () => undefined };
    for (const name of ['phones', 'snapshots']) mkdirSync(join(this.data, name), { recursive: true });
    [this.engine, this.driver] = this.#make();
  }

  spec(phoneId: string, forwarder?: string): PhoneSpec {
    const exit = {
      type: 'direct',
      country: 'us',
      timezone: 'America/New_York',
      ...(forwarder !== undefined && { forwarder }),
    };
    return { phoneId, name: 'phone', model: MODEL.model, android: '14', exit };
  }

  /** Closes the driver and opens a new one on the same folder. */
  async restart(): Promise<void> {
    await this.driver.close();
    [this.engine, this.driver] = this.#make();
    await this.driver.open();
  }

  folder(phoneId: string): string {
    return join(this.data, 'phones', phoneId);
  }

  /** What a command prints on a phone, without the last line break. */
  async shell({ host, port }: PhoneEndpoint, command: string): Promise<string> {
    return (await shellOn({ host, port }, command)).trimEnd();
  }

  async close(): Promise<void> {
    await this.driver.close();
    for (const phoneId of await this.engine.list()) killPhoneProcesses(this.folder(phoneId));
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }

  #make(): [EmulatorEngine, ImageBasedDriver] {
    const { environment, data: directory } = this;
    const parts = {
      connectSocket,
      clock: systemClock,
      log: silentLog,
    };
    const sdk = new EmulatorSdk({
      home: this.sdk.path,
      environment: { PATH, ANDROID_HOME: this.sdk.path },
      kvm: '/dev/null',
    });
    const isRoot = process.getuid?.() === 0;
    const engine = new EmulatorEngine({
      ...parts,
      sdk,
      directory,
      environment,
      isRoot,
      times: this.times,
      phoneHost: '127.0.0.1',
      randomBytes,
    });
    return [engine, new ImageBasedDriver({ ...parts, engine, directory, models: this.models, boots: pLimit(2) })];
  }
}

function connectSocket(host: string, port: number): net.Socket {
  return net.connect({ host, port });
}
