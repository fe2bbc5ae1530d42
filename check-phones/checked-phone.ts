import { type CloudPhone, CloudPhoneError, type components, type Job, type paths } from '../client/src/index.js';
import { systemClock } from '../kit/async/clock.js';
import type { CheckOptions } from './config.js';
import { demand } from './demand.js';
import type { Ran, StockAdb } from './stock-adb.js';

type Schemas = components['schemas'];
export type Observation = Schemas['Observation'];
export type Element = Schemas['Element'];
type ActBody = paths['/v1/devices/{name}/act']['post']['requestBody']['content']['application/json'];
type Step = NonNullable<ActBody['steps']>[number];

/** The longest time that a job may take in addition to a boot, s. */
const OPERATION_S = 180;
/** The time limit of one command through adb, ms. */
const COMMAND_MS = 60_000;
/** Most runs of `adb connect` until the phone is connected, 200 ms apart. */
const CONNECT_TRIES = 75;

/** A device of the check. The check uses the device only through the public API and the stock adb. */
export class CheckedPhone {
  readonly name: string;
  readonly #api: CloudPhone;
  readonly #adb: StockAdb;
  readonly #options: CheckOptions;

  constructor(api: CloudPhone, adb: StockAdb, name: string, options: CheckOptions) {
    this.#api = api;
    this.#adb = adb;
    this.name = name;
    this.#options = options;
  }

  get #path() {
    return { params: { path: { name: this.name } } };
  }

  /** Waits for a job. If the job failed, throws an error with the service's own text. */
  async wait(job: Job): Promise<Job> {
    return this.#api.waitForJob(job, { timeoutMs: (this.#options.bootLimitS + OPERATION_S) * 1_000 });
  }

  /** Waits for a job that is known by its id. */
  async waitForJob(id: string): Promise<Job> {
    return this.wait((await this.#api.get('/v1/jobs/{id}', { params: { path: { id } } })).job);
  }

  async device(): Promise<Schemas['Device']> {
    return (await this.#api.get('/v1/devices/{name}', this.#path)).device;
  }

  async start(): Promise<Job> {
    return this.wait((await this.#api.post('/v1/devices/{name}/start', this.#path)).job);
  }

  async stop(): Promise<void> {
    await this.wait((await this.#api.post('/v1/devices/{name}/stop', this.#path)).job);
  }

  async restart(): Promise<void> {
    await this.wait((await this.#api.post('/v1/devices/{name}/restart', this.#path)).job);
  }

  /** Deletes the device, if it exists, and waits until it is gone. */
  async delete(): Promise<void> {
    try {
      await this.wait((await this.#api.delete('/v1/devices/{name}', this.#path)).job);
    } catch (error) {
      if (!(error instanceof CloudPhoneError) || error.kind !== 'not_found') throw error;
    }
  }

  /** A screenshot as PNG. */
  async screenshot(): Promise<Buffer> {
    const image: ArrayBuffer = await this.#api.get('/v1/devices/{name}/screenshot', {
      ...this.#path,
      parseAs: 'arrayBuffer',
    });
    return Buffer.from(image);
  }

  async observe(): Promise<Observation> {
    const request = { params: { path: { name: this.name }, query: { screenshot: 'none' as const } } };
    return (await this.#api.get('/v1/devices/{name}/observe', request)).observation;
  }

  /** Takes a step and returns the screen after it. Throws if the step failed. */
  async act(step: Step): Promise<Observation> {
    const request = { ...this.#path, body: { steps: [step], observe: 'elements' as const, timeout_ms: 30_000 } };
    const { failed, observation } = await this.#api.post('/v1/devices/{name}/act', request);
    if (failed !== undefined) throw new Error(`act: ${failed.message}`);
    demand(observation !== undefined, 'act: the response has no observation');
    return observation;
  }

  async apps(): Promise<Schemas['InstalledApp'][]> {
    return (await this.#api.get('/v1/devices/{name}/apps', this.#path)).apps;
  }

  /** Installs a package file, and returns the name of the package. */
  async install(apk: Uint8Array): Promise<string> {
    const { job } = await this.#api.post('/v1/devices/{name}/apk', {
      ...this.#path,
      body: apk as never,
      bodySerializer: (bytes: unknown) => bytes as Uint8Array,
      headers: { 'content-type': 'application/vnd.android.package-archive' },
    });
    return (await this.wait(job)).result?.package ?? '';
  }

  /** Changes the device's exit to the internet. */
  async exit(body: Schemas['ChangeNetworkBody']): Promise<void> {
    await this.wait((await this.#api.post('/v1/devices/{name}/network', { ...this.#path, body })).job);
  }

  /** Changes the device's conditions, such as its location. */
  async conditions(body: Schemas['UpdateConditionsBody']): Promise<void> {
    await this.#api.patch('/v1/devices/{name}/conditions', { ...this.#path, body });
  }

  /** Connects the stock adb through the relay, and logs in. Returns the serial under which adb knows the phone. */
  async adbLogin(): Promise<string> {
    const { adb } = await this.#api.post('/v1/devices/{name}/adb', {
      ...this.#path,
      body: { allow: [this.#options.allow] },
    });
    const serial = `${adb.host ?? ''}:${adb.port ?? 0}`;
    await this.#adbConnect(serial);
    const login = await this.#adb.run(['-s', serial, 'shell', 'service-login', adb.code ?? ''], COMMAND_MS);
    demand(login.stdout.startsWith('login ok'), `service-login: ${login.stdout}${login.stderr}`);
    return serial;
  }

  /** Connects adb. Until an earlier connection has ended, `adb connect` changes nothing and prints "already connected". */
  async #adbConnect(serial: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      await this.#adb.run(['disconnect', serial], COMMAND_MS);
      const { stdout } = await this.#adb.run(['connect', serial], COMMAND_MS);
      if (stdout.startsWith('connected to')) return;
      const isEnding = stdout.startsWith('already connected') && tries < CONNECT_TRIES;
      demand(isEnding, `adb connect ${serial}: ${stdout.trim()}`);
      await systemClock.sleep(200);
    }
  }

  /** Runs one command of adb on the phone, after a login. */
  async adb(serial: string, words: readonly string[], timeoutMs = COMMAND_MS): Promise<Ran> {
    return this.#adb.run(['-s', serial, ...words], timeoutMs);
  }

  /** Logs in, runs a command in the phone's shell, and returns the command's output. */
  async shell(command: string): Promise<string> {
    return (await this.adb(await this.adbLogin(), ['shell', command])).stdout;
  }

  /** Returns a serial number that differs between phones, and a text of boot id and start of init that differs between starts. */
  async startFacts(): Promise<{ serial: string; start: string }> {
    const output = await this.shell('getprop ro.serialno; cat /proc/sys/kernel/random/boot_id /proc/1/stat');
    const [serial = '', bootId = '', init = ''] = output.split('\n').map((line) => line.trim());
    return { serial, start: `${bootId} ${init.slice(init.lastIndexOf(')') + 2).split(' ')[19] ?? ''}` };
  }
}
