import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Log } from '../../kit/log/log.js';
import { repeat } from '../../kit/errors/repeat.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import type { ConnectSocket } from '../link/phone-link.js';
import type { EngineConditions, FetchedImage, PhoneEngine, PhoneProxy, Power } from '../image-based/engine.js';
import type { EmulatorModel, ImageBasedModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import { removeLocks, writeAvd } from './avd-files.js';
import { hasDamagedDisk } from './check-disks.js';
import { emulatorArguments, emulatorEnvironment } from './command-line.js';
import { HostObstacle } from './host-obstacle.js';
import { lastLogLines } from './supervisor/bounded-log.js';
import { consoleConditions } from './console-conditions.js';
import { launch } from './launch.js';
import { whyNoNamespace } from './namespace.js';
import { AVD_HOME, EXIT_SOCKET, HOME_FOLDER, RUNTIME_FOLDER, TEMPORARY_FOLDER, TOKEN_FILE } from './phone-files.js';
import { findPhoneProcesses, killPhoneProcesses } from './phone-processes.js';
import { HOST_IN_GUEST, PROXY_PORT } from './ports.js';
import { powerOff } from './power-off.js';
import { presentRun, readRun, signalSupervisor } from './run-record.js';
import type { EmulatorSdk } from './sdk.js';
import { EMULATOR_TIMES, type EmulatorTimes } from './times.js';

export interface EmulatorEngineOptions {
  sdk: EmulatorSdk;
  /** The driver's folder. Its `phones/` has a folder for each phone. Each emulator sees its phone's folder as `phone/`. */
  directory: string;
  /** The host address at which the ADB ports of phones are published. */
  phoneHost: string;
  environment: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
  connectSocket: ConnectSocket;
  randomBytes: (count: number) => Buffer;
  clock: Clock;
  log: Log;
  times?: Partial<EmulatorTimes>;
}

/** How often the supervisors of phones are looked up, ms. Supervisors outlive the service, so they may not be child processes of it. */
const WATCH_MS = 500;
const LAST_LINES = 20;
/** How many of the last lines of the log the error of a failed launch has. */
const LAUNCH_LINES = 3;

/**
 * Runs phones in the emulator of the Android SDK. Each phone has a supervisor in a session and a network namespace of its own
 * (supervisor/main.ts).
 * A phone is on as long as its supervisor runs; run.json in its folder names the process.
 */
export class EmulatorEngine implements PhoneEngine {
  readonly kind = 'emulator';
  readonly conditions: EngineConditions;
  readonly #options: EmulatorEngineOptions;
  readonly #phones: string;
  readonly #seen: string;
  readonly #times: EmulatorTimes;
  readonly #host: HostObstacle;
  readonly #lock = new KeyedLock();
  /** The latest start that was seen of each running phone, by phone id. */
  readonly #watched = new Map<string, string>();

  constructor(options: EmulatorEngineOptions) {
    this.#options = options;
    this.#phones = join(options.directory, 'phones');
    this.#seen = join(options.directory, 'phone');
    this.#times = { ...EMULATOR_TIMES, ...options.times };
    this.conditions = consoleConditions({ clock: options.clock, timeoutMs: this.#times.stepMs });
    this.#host = new HostObstacle({ ...options, examine: () => this.#examineHost() });
  }

  async obstacle(model: ImageBasedModel): Promise<string | undefined> {
    return (await this.#host.find()) ?? this.#options.sdk.imageObstacle(ours(model).systemImage);
  }

  async #examineHost(): Promise<string | undefined> {
    await mkdir(this.#seen, { recursive: true, mode: 0o700 });
    const { sdk, isRoot } = this.#options;
    return (await sdk.hostObstacle()) ?? whyNoNamespace({ folder: this.#seen, seen: this.#seen, isRoot });
  }

  /** Nothing is fetched: the operator installs images with the SDK's own program, which asks for the licence. */
  async fetchImage(model: ImageBasedModel): Promise<FetchedImage> {
    const { sdk } = this.#options;
    return { digest: await sdk.digest(sdk.image(ours(model).systemImage)) };
  }

  /**
   * Does nothing, as the ids are in a file system that only Android opens. The driver gives a clone a new Android id after its first boot.
   */
  forgetIdentity(): Promise<void> {
    return Promise.resolve();
  }

  powerOn(phone: ImageBasedPhone, options?: OperationOptions): Promise<void> {
    const folder = dirname(phone.data);
    return this.#lock.run(folder, () => this.#powerOn(phone, folder, options));
  }

  async #powerOn(phone: ImageBasedPhone, folder: string, { signal }: OperationOptions = {}): Promise<void> {
    await this.#endAll(folder);
    const last = readRun(folder);
    if (last !== undefined && last.inOrder !== true && (await hasDamagedDisk(phone.data, this.#options.sdk.qemuImg))) {
      throw new PhoneFailure(
        "The phone's disk was damaged when it lost its power. Restore one of its snapshots, or delete the device.",
      );
    }
    await this.#prepare(phone, folder);
    const { sdk, environment, isRoot, phoneHost } = this.#options;
    const { gpu, args } = ours(phone.made);
    const { timezone } = phone.exit;
    const words = emulatorArguments({ avd: phone.phoneId, serial: phone.serial, gpu, timezone, args });
    // One at a time: emulators that start together have been seen to spoil files that they share.
    await this.#lock
      .run('launch', () =>
        launch({
          ...{ avd: phone.phoneId, command: [sdk.emulator, ...words], folder, seen: this.#seen, isRoot },
          ...{ host: phoneHost, port: last?.port ?? 0, times: this.#times, signal, clock: this.#options.clock },
          environment: emulatorEnvironment({ folder, seen: this.#seen, androidHome: sdk.home }, environment),
        }),
      )
      .catch(async (error: unknown) => {
        await this.#endAll(folder);
        const lines = lastLogLines(folder, LAUNCH_LINES).replaceAll('\n', ' | ');
        if (!(error instanceof PhoneFailure) || lines === '') throw error;
        throw new PhoneFailure(`${error.message} Its last lines: ${lines}`);
      });
    const start = startOf(folder);
    if (start !== undefined) this.#watched.set(phone.phoneId, start);
  }

  powerOff(phone: ImageBasedPhone, how: 'save' | 'kill', { signal }: OperationOptions = {}): Promise<void> {
    const folder = dirname(phone.data);
    return this.#lock.run(folder, async () => {
      this.#watched.delete(phone.phoneId);
      const { clock, connectSocket, log } = this.#options;
      const run = presentRun(folder);
      if (how === 'save' && run !== undefined)
        await powerOff({ folder, run, clock, connectSocket, log, signal, times: this.#times });
      await this.#endAll(folder);
    });
  }

  async power(phone: ImageBasedPhone): Promise<Power> {
    const folder = dirname(phone.data);
    const run = presentRun(folder);
    if (run !== undefined) return { on: true, start: wordOf(run), host: run.host, port: run.port };
    const last = readRun(folder);
    return {
      on: false,
      ...(last !== undefined && { reason: last.ended ?? 'The emulator and its supervisor were killed.' }),
    };
  }

  remove(phoneId: string): Promise<void> {
    const folder = join(this.#phones, phoneId);
    return this.#lock.run(folder, async () => {
      this.#watched.delete(phoneId);
      await this.#endAll(folder);
    });
  }

  async list(): Promise<string[]> {
    const folders = [...findPhoneProcesses().keys()].filter((folder) => dirname(folder) === this.#phones);
    return folders.map((folder) => basename(folder));
  }

  /** Points the link `exit` in the phone's folder to the phone's forwarder. The supervisor connects there; without the link, to nothing. */
  async openExit(phone: ImageBasedPhone): Promise<PhoneProxy> {
    const folder = dirname(phone.data);
    const link = join(folder, EXIT_SOCKET);
    const { forwarder } = phone.exit;
    const present = await readlink(link).catch(() => undefined);
    if (present !== forwarder) {
      if (forwarder === undefined) await rm(link, { force: true });
      else {
        await rm(`${link}.new`, { force: true });
        await symlink(forwarder, `${link}.new`);
        await rename(`${link}.new`, link);
      }
      const run = presentRun(folder);
      if (run !== undefined) signalSupervisor(run, 'SIGHUP');
    }
    return { host: HOST_IN_GUEST, port: PROXY_PORT };
  }

  async lastLines(phone: ImageBasedPhone): Promise<string> {
    return lastLogLines(dirname(phone.data), LAST_LINES);
  }

  /** A phone that goes on or off by an operation of this engine is not reported as a change. */
  watch(onChange: (phoneId: string | undefined, reason: string) => void, signal: AbortSignal): void {
    const { clock, log } = this.#options;
    const loop = repeat({ clock, log, everyMs: WATCH_MS, firstMs: 0, step: 'watch the emulators' }, async () => {
      for (const phoneId of (await readdir(this.#phones)).filter((name) => !name.startsWith('.'))) {
        const folder = join(this.#phones, phoneId);
        const [before, now] = [this.#watched.get(phoneId), startOf(folder)];
        if (now !== undefined) this.#watched.set(phoneId, now);
        if (before === undefined || before === now) continue;
        if (now === undefined) {
          this.#watched.delete(phoneId);
          void this.#endRest(phoneId, folder);
        }
        onChange(phoneId, now === undefined ? (readRun(folder)?.ended ?? 'its emulator was killed') : 'it was started');
      }
    });
    signal.addEventListener('abort', () => void loop.close(), { once: true });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends what is left of an emulator whose supervisor was killed. */
  async #endRest(phoneId: string, folder: string): Promise<void> {
    try {
      await this.#lock.run(folder, async () => {
        if (presentRun(folder) === undefined) await this.#endAll(folder);
      });
    } catch (error) {
      this.#options.log.error({ phone: phoneId, err: error }, 'what is left of an emulator could not be ended');
    }
  }

  async #prepare(phone: ImageBasedPhone, folder: string): Promise<void> {
    for (const name of [RUNTIME_FOLDER, TEMPORARY_FOLDER, AVD_HOME]) {
      await rm(join(folder, name), { recursive: true, force: true });
      await mkdir(join(folder, name), { mode: 0o700 });
    }
    await mkdir(join(folder, HOME_FOLDER, '.android'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, TOKEN_FILE), this.#options.randomBytes(16).toString('hex'), { mode: 0o600 });
    await mkdir(this.#seen, { recursive: true, mode: 0o700 });
    await removeLocks(phone.data);
    const image = this.#options.sdk.image(ours(phone.made).systemImage);
    const paths = { home: join(folder, AVD_HOME), data: phone.data, dataSeen: join(this.#seen, basename(phone.data)) };
    await writeAvd({ name: phone.phoneId, image, model: ours(phone.made) }, paths);
  }

  /** Kills what is left of a phone's processes, and returns once they are gone. */
  async #endAll(folder: string): Promise<void> {
    const { clock } = this.#options;
    for (let tries = 0; killPhoneProcesses(folder) > 0; tries++) {
      if (tries > 500) throw new Error('the processes of a phone do not end, although they were killed');
      await clock.sleep(20);
    }
  }
}

function ours(model: ImageBasedModel): EmulatorModel {
  if (model.driver === 'emulator') return model;
  throw new Error(`the model ${model.model} is for another driver`);
}

function startOf(folder: string): string | undefined {
  const run = presentRun(folder);
  return run === undefined ? undefined : wordOf(run);
}

function wordOf({ owner }: { owner: { pid: number; started: string } }): string {
  return `${owner.pid} ${owner.started}`;
}
