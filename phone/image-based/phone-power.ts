import type { LimitFunction } from 'p-limit';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneConditions } from '../conditions.js';
import {
  type OperationOptions,
  type PhoneEndpoint,
  PhoneFailure,
  type PhoneStatus,
  type StartOptions,
} from '../driver.js';
import { type ConnectSocket, PhoneLink } from '../link/phone-link.js';
import { readIdentity } from '../link/identity.js';
import { BootFailure, readBoot, waitForBoot } from './boot.js';
import { applyExit } from './apply-exit.js';
import { giveOwnAndroidId } from './android-id.js';
import type { PhoneEngine, Power } from './engine.js';
import { inTurn } from './in-turn.js';
import type { ImageBasedPhone, PhoneFolders } from './phone-folders.js';

export interface PhonePowerParts {
  engine: PhoneEngine;
  folders: PhoneFolders;
  /** How many phones of the host boot at the same time; shared by its drivers. */
  boots: LimitFunction;
  /** Called when a phone is found paused. */
  onPaused: (phoneId: string) => void;
  connectSocket: ConnectSocket;
  clock: Clock;
  log: Log;
}

/** A phone may take this long for a connection and its identity, ms. */
const LINK_MS = 5_000;

/** Most characters of the lines in the text of a failure. */
const MAX_LINES_CHARS = 400;

/** Powers the phones of an engine on and off, and observes their boots. Operations of one phone are called one after the other. */
export class PhonePower {
  readonly #parts: PhonePowerParts;
  /** Boots that were found done, beside those in the phones' records. */
  readonly #booted = new Map<string, { start: string; identity: string }>();

  constructor(parts: PhonePowerParts) {
    this.#parts = parts;
  }

  /**
   * Returns the phone's state. A phone that has booted and does not respond now is still reported as running. The service's health checks
   * find out why, and a busy host must not end a customer's run.
   */
  async status(phone: ImageBasedPhone, signal?: AbortSignal): Promise<PhoneStatus> {
    const power = await this.#parts.engine.power(phone, signal);
    if (!power.on) {
      this.#booted.delete(phone.phoneId);
      const reason = phone.on ? (power.reason ?? 'it went off') : undefined;
      return { state: 'stopped', ...(reason !== undefined && { reason }) };
    }
    if (power.paused === true) this.#parts.onPaused(phone.phoneId);
    const identity = await this.#identity(phone, power, signal);
    return identity === undefined ? { state: 'starting' } : running(power, identity);
  }

  async start(phone: ImageBasedPhone, { signal, onProgress, endedIdentity }: StartOptions): Promise<PhoneEndpoint> {
    const { engine } = this.#parts;
    const power = await engine.power(phone, signal);
    if (power.on) {
      const identity = await this.#identity(phone, power, signal);
      if (identity !== undefined && identity !== endedIdentity) return endpointOf(power, identity);
      if (identity !== undefined) await this.stop(phone, 'save', { signal });
    }
    const obstacle = await engine.obstacle(phone.made);
    if (obstacle !== undefined) throw cannotRun(obstacle);
    // The image is fetched before the phone waits for its turn, so that a slow registry does not delay other boots.
    await engine.images?.ready(phone, { signal });
    return inTurn(this.#parts.boots, signal, () => this.#boot(phone, { signal, onProgress }));
  }

  async stop(phone: ImageBasedPhone, how: 'save' | 'kill', options: OperationOptions = {}): Promise<void> {
    await this.#parts.folders.change(phone, { on: false });
    this.#booted.delete(phone.phoneId);
    await this.#parts.engine.powerOff(phone, how, options);
  }

  /** Opens the exit of a phone that kept running while no process of the service ran. Android still has the settings of the exit. */
  async adopt(phone: ImageBasedPhone): Promise<void> {
    const { engine } = this.#parts;
    if ((await engine.power(phone)).on) await engine.openExit(phone);
  }

  /** Opens the exit that the phone's record names, and makes Android use it. A phone that is off gets the exit at its next start. */
  async renewExit(phone: ImageBasedPhone, signal?: AbortSignal): Promise<void> {
    const power = await this.#parts.engine.power(phone, signal);
    if (!power.on) return;
    const proxy = await this.#parts.engine.openExit(phone);
    if ((this.#booted.get(phone.phoneId) ?? phone.booted)?.start !== power.start) return;
    const link = await this.#open(power);
    try {
      await applyExit(link, { proxy, timezone: phone.exit.timezone, signal });
    } finally {
      link.close();
    }
  }

  /** Applies the conditions in its record to a phone that has booted. Any other phone gets them during its boot. */
  async renewConditions(phone: ImageBasedPhone, before: PhoneConditions, signal?: AbortSignal): Promise<void> {
    const power = await this.#parts.engine.power(phone, signal);
    if (!power.on || (this.#booted.get(phone.phoneId) ?? phone.booted)?.start !== power.start) return;
    await this.#parts.engine.conditions?.set(phone, phone.conditions ?? {}, before, signal);
  }

  forget(phoneId: string): void {
    this.#booted.delete(phoneId);
  }

  async #boot(phone: ImageBasedPhone, { signal, onProgress }: OperationOptions): Promise<PhoneEndpoint> {
    const { engine, folders, clock, log } = this.#parts;
    signal?.throwIfAborted();
    // The record says `on` before the phone has power. A phone that is found off after a crash therefore counts as one that went off by
    // itself.
    const known = await folders.change(phone, { on: true });
    if (!(await engine.power(known, signal)).on) {
      await folders.bound(known);
      await engine.powerOn(known, { signal });
    }
    onProgress?.(20);
    try {
      const power = await this.#poweredOn(known, signal);
      const proxy = await engine.openExit(known).catch(async (error: unknown) => {
        // A phone that goes off between the two calls has no address.
        const reason = await this.#reasonOff(known, power, signal);
        throw reason === undefined ? error : new BootFailure(`went off as soon as it was started (${reason})`);
      });
      const identity = await waitForBoot({
        ...{ clock, signal, limitMs: known.made.bootLimitS * 1_000 },
        open: () => this.#open(power),
        ended: () => this.#reasonOff(known, power, signal),
      });
      onProgress?.(90);
      const link = await this.#open(power);
      try {
        await applyExit(link, { proxy, timezone: known.exit.timezone, signal });
        if (known.cloned === true) await giveOwnAndroidId(link, known.phoneId, signal);
      } finally {
        link.close();
      }
      const { conditions = {} } = known;
      if (Object.keys(conditions).length > 0) {
        await engine.conditions?.set(known, conditions, {}, signal).catch((error: unknown) => {
          if (!(error instanceof PhoneFailure)) throw error;
          const next = `Change them, or take them back, and start it again: PATCH /v1/devices/${known.name}/conditions.`;
          throw new PhoneFailure(`${error.message} ${next}`, { cause: error });
        });
      }
      const booted = { start: power.start, identity };
      await folders.change(known, { booted, cloned: false });
      this.#booted.set(known.phoneId, booted);
      onProgress?.(100);
      return endpointOf(power, identity);
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      const lines = printable(await this.#lastLines(known));
      log.warn({ phone: known.phoneId, err: error, lines }, 'a phone did not boot');
      await this.stop(known, 'kill', { signal });
      throw new PhoneFailure(
        `The phone ${printable(error.message)}.${lines === '' ? '' : ` Its last lines: ${lines}`}`,
      );
    }
  }

  /** Returns the last lines that the phone wrote. Returns '' when they cannot be read, as they only explain a failure. */
  async #lastLines(phone: ImageBasedPhone): Promise<string> {
    try {
      return await this.#parts.engine.lastLines(phone);
    } catch (error) {
      this.#parts.log.warn({ phone: phone.phoneId, err: error }, 'the last lines of a phone cannot be read');
      return '';
    }
  }

  async #poweredOn(phone: ImageBasedPhone, signal: AbortSignal | undefined): Promise<Power & { on: true }> {
    const power = await this.#parts.engine.power(phone, signal);
    if (power.on) return power;
    throw new BootFailure(`went off as soon as it was started (${power.reason ?? 'no reason is known'})`);
  }

  /** Returns why the start `power` of the phone has ended; undefined while it lasts. */
  async #reasonOff(
    phone: ImageBasedPhone,
    power: Power & { on: true },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const now = await this.#parts.engine.power(phone, signal);
    if (!now.on) return now.reason ?? 'no reason is known';
    return now.start === power.start ? undefined : 'it was restarted';
  }

  /**
   * Returns the identity of a phone that is on; undefined until its start was completed. Android may also boot after its start was aborted
   * or the service ended. Such a phone has no exit yet and, if it is a clone, no identity of its own.
   */
  async #identity(
    phone: ImageBasedPhone,
    power: Power & { on: true },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const booted = this.#booted.get(phone.phoneId) ?? phone.booted;
    if (booted?.start !== power.start) return undefined;
    const known = booted.identity;
    try {
      const link = await this.#open(power);
      try {
        const identity = await readIdentity(link, { timeoutMs: LINK_MS });
        if (identity === known) return known;
        const state = await readBoot(link, signal);
        // Android is rebooting by itself.
        if (!state.done) return undefined;
        this.#booted.set(phone.phoneId, { start: power.start, identity: state.identity });
        return state.identity;
      } finally {
        link.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      this.#parts.log.debug({ phone: phone.phoneId, err: error }, 'a phone that is on did not respond');
      return known;
    }
  }

  #open({ host, port }: Power & { on: true }): Promise<PhoneLink> {
    const { clock, connectSocket } = this.#parts;
    return PhoneLink.open({ host, port, clock, connectSocket, timeoutMs: LINK_MS });
  }
}

function running(power: Power & { on: true }, identity: string): PhoneStatus {
  return { state: 'running', endpoint: endpointOf(power, identity) };
}

/** Returns where the phone is reached. The service may put its helper programs on phones that it makes. */
function endpointOf({ host, port }: Power & { on: true }, identity: string): PhoneEndpoint {
  return { host, port, identity, helpers: true };
}

/**
 * Returns the customer's error. The reason is for the operator, who has it in the log and in the problems of the host. The error is not
 * final: an engine that is restarted is back in seconds.
 */
export function cannotRun(obstacle: string): ApiError {
  const message = "The phone's host cannot run this model now. Try again later; if it persists, inform the operator.";
  return new ApiError('unavailable', message, { cause: new Error(obstacle) });
}

/** The end of what a phone wrote, in one line. */
function printable(lines: string): string {
  return lines
    .replaceAll(/\s*\n\s*/g, ' | ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(-MAX_LINES_CHARS);
}
