import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { PhoneConditions } from '../../phone/conditions.js';
import type { PhoneExit } from '../../phone/driver.js';
import { PhoneFailure } from '../../phone/driver.js';
import { identityOf } from '../../phone/start-identity.js';
import { AdbServer } from '../adbd/adb-server.js';
import { ServiceRecord } from '../machine/service-record.js';
import { openService } from '../adbd/services.js';
import type { SimulatedPhoneOptions } from './phone-options.js';
import { PhoneFaults } from './phone-faults.js';
import { Cancellation } from '../../kit/async/within.js';
import { assembleMachine, type RunningMachine } from './assemble-machine.js';
import type { Machine } from '../machine/machine.js';
import { MAX_PAYLOAD_BYTES, VERSION_SKIP_CHECKSUM } from '../../phone/adb/packet.js';

/** One phone in TypeScript. From outside it is an ADB port, as a real phone is. It is off until `boot`. */
export class SimulatedPhone {
  readonly faults: PhoneFaults;
  /** Service names that arrived at adbd since the phone was made. */
  readonly services = new ServiceRecord();
  /** Is called when the phone reboots by itself, with a promise of its next boot. */
  onReboot: (rebooted: Promise<void>, reason: string) => void = () => undefined;
  /** Is called when the phone's shell has powered it off (`reboot -p`). Undefined: the shell may not do that. */
  onTurnOff: (() => void) | undefined;
  readonly #options: SimulatedPhoneOptions;
  #exit: PhoneExit;
  #conditions: PhoneConditions;
  #port: number | undefined;
  #running: RunningMachine | undefined;
  #server: AdbServer | undefined;
  #booted: Promise<number> | undefined;
  /** Counts the changes of power, so that a boot which a shutdown has overtaken is aborted. */
  #powerChanges = 0;

  constructor(options: SimulatedPhoneOptions) {
    this.#options = options;
    this.#exit = options.exit;
    this.#conditions = options.conditions ?? {};
    this.faults = new PhoneFaults({
      onAdbDown: () => this.#server?.dropConnections(),
      onAppFailure: ({ package: name, failure }) => void this.#running?.machine.screen.fail(name, failure),
    });
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** The port on which adbd listens; undefined while the phone is off. */
  get adbPort(): number | undefined {
    return this.#server ? this.#port : undefined;
  }

  /** The identity of its present start, as ADB clients read it; undefined while the phone is off. */
  get runIdentity(): string | undefined {
    const machine = this.#running?.machine;
    return machine === undefined ? undefined : identityOf({ serial: machine.identity.serial, ...machine });
  }

  /** Bytes that it holds for its clients. */
  get heldBytes(): number {
    return this.#running?.machine.memory.usedBytes ?? 0;
  }

  /** The inside of a running phone, for tests and for its driver. Throws when it is off. */
  get machine(): Machine {
    if (!this.#running) throw new PhoneFailure('the phone is off');
    return this.#running.machine;
  }

  /**
   * Powers on and returns the ADB port when the phone is usable. ADB responds from the first stage on; `sys.boot_completed` is
   * set at the end. A phone that runs is left running. Throws PhoneFailure, with the phone off again.
   */
  boot(onProgress: (percent: number) => void = () => undefined, signal?: AbortSignal): Promise<number> {
    // A second call while it boots waits for the same end, without progress of its own.
    this.#booted ??= begunAhead(this.#boot(onProgress, signal));
    return this.#booted;
  }

  async #boot(onProgress: (percent: number) => void, signal?: AbortSignal): Promise<number> {
    const { clock, bootMs = DEFAULT_BOOT_MS } = this.#options;
    const powerOn = ++this.#powerChanges;
    const running = await assembleMachine({
      ...this.#options,
      conditions: this.#conditions,
      faults: this.faults,
      services: this.services,
      reboot: this.#options.rebootable === true ? () => void this.reboot('by its shell') : undefined,
      turnOff: this.onTurnOff === undefined ? undefined : () => void this.shutdown().then(this.onTurnOff),
    }).catch((error: unknown) => {
      if (powerOn === this.#powerChanges) this.#booted = undefined;
      throw error;
    });
    if (powerOn !== this.#powerChanges) throw new BootOvertaken();
    this.#running = running;
    // The conditions may have changed while the phone was put together.
    running.machine.conditions.set(this.#conditions);
    const stop = new Cancellation([running.machine.power, signal]);
    const stage = async (name: 'kernel' | 'system' | 'apps', fraction: number, percent: number): Promise<void> => {
      // The two lines below throw the reason of an abort.
      await clock.sleep(bootMs * fraction, stop.signal).catch(() => undefined);
      if (running.machine.power.aborted) throw new BootOvertaken();
      signal?.throwIfAborted();
      if (this.faults.bootFailure === name) throw new PhoneFailure(`The phone did not boot: it stopped at ${name}.`);
      onProgress(percent);
    };
    try {
      const port = await this.#listen(running.machine);
      // From this property hosts read that ADB comes back by itself after a reboot.
      if (this.#options.rebootable === true) running.machine.properties.set('persist.adb.tcp.port', String(port));
      running.startKernel();
      onProgress(5);
      await stage('kernel', 0.25, 30);
      running.startSystem(this.#exit);
      await stage('system', 0.5, 75);
      running.startApps();
      await stage('apps', 0.25, 95);
      running.completeBoot();
      onProgress(100);
      return port;
    } catch (error) {
      // If the phone was powered off and on again meanwhile, the new boot must not be ended here.
      if (this.#running === running) await this.shutdown();
      throw error;
    } finally {
      stop.end();
    }
  }

  /** Ends every stream, closes the port and powers off. State is on the disk already. A phone that is off stays off. */
  async shutdown(): Promise<void> {
    const running = this.#running;
    const server = this.#server;
    this.#powerChanges++;
    this.#booted = undefined;
    this.#running = undefined;
    this.#server = undefined;
    running?.powerOff();
    await server?.close();
    await running?.disk.powerOff();
  }

  async still(copy: (open: ReadonlySet<number>) => Promise<void>, saved: string): Promise<void> {
    const running = this.#running;
    if (running === undefined) return copy(new Set());
    await running.disk.still(async (open) => {
      await copy(open);
      running.saveScreen(saved);
    });
  }

  /**
   * Powers off and boots again, with the same port, serial number and state, and another boot id. `onReboot` is called at the beginning
   * with a promise of the boot's end. Does nothing for a phone that is off, or that another call powers off or on meanwhile.
   */
  async reboot(reason: string): Promise<void> {
    if (this.#running === undefined) return;
    const rebooted = begunAhead(this.#restart());
    // `onReboot` gets the failure of a boot; a reboot by the phone itself has no caller.
    rebooted.catch((error: unknown) => this.#options.log.warn({ err: error }, 'the phone did not come up again'));
    this.onReboot(rebooted, reason);
    await rebooted.catch(() => undefined);
  }

  async #restart(): Promise<void> {
    const down = begunAhead(this.shutdown());
    const powerOff = this.#powerChanges;
    await down;
    if (powerOff === this.#powerChanges) await this.boot();
  }

  /** Ends the phone as a power loss does: all connections are cut and nothing is tidied up. */
  crash(): void {
    this.#server?.dropConnections();
    void this.shutdown();
  }

  setExit(exit: PhoneExit): void {
    this.#exit = exit;
    this.#running?.setExit(exit);
  }

  /** Sets the conditions, which last until they are changed, also from one boot to the next. */
  setConditions(conditions: PhoneConditions): void {
    this.#conditions = conditions;
    this.#running?.machine.conditions.set(conditions);
  }

  async #listen(machine: Machine): Promise<number> {
    const { listen, log, clock, protocol, trustedKeys } = this.#options;
    const server = new AdbServer({
      log,
      clock,
      faults: this.faults,
      trustedKeys,
      memory: machine.memory,
      protocol: { version: VERSION_SKIP_CHECKSUM, maxPayloadBytes: MAX_PAYLOAD_BYTES, ...protocol },
      banner: () => ({
        state: 'device',
        properties: Object.fromEntries(BANNER_PROPERTIES.map((name) => [name, machine.properties.get(name)])),
        features: FEATURES,
      }),
      open: (name) => openService(name, machine),
    });
    const kept = this.#port ?? listen?.port ?? 0;
    this.#port = await server.listen({ host: listen?.host ?? '127.0.0.1', port: kept }, { orAny: listen?.port === undefined || listen.port === 0 }); // prettier-ignore
    this.#server = server;
    return this.#port;
  }
}

/** The error of a phone that lost its power while it booted. The next boot may succeed. */
export class BootOvertaken extends PhoneFailure {
  override name = 'BootOvertaken';

  constructor() {
    super('The phone was powered off while it booted.');
  }
}

const DEFAULT_BOOT_MS = 800;

const BANNER_PROPERTIES = ['ro.product.name', 'ro.product.model', 'ro.product.device'];

/** The features that are implemented: clients choose their requests by this list. */
const FEATURES = [
  'shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'fixed_push_mkdir', 'apex', 'abb', 'fixed_push_symlink_timestamp', 'abb_exec',
  'remount_shell', 'sendrecv_v2',
]; // prettier-ignore
