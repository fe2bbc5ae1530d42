import type { LimitFunction } from 'p-limit';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
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
import type { MadePhone, PhoneFolders } from './phone-folders.js';

export interface PhonePowerParts {
  engine: PhoneEngine;
  folders: PhoneFolders;
  /** How many phones of the host boot at the same time; shared by its drivers. */
  boots: LimitFunction;
  connectSocket: ConnectSocket;
  clock: Clock;
  log: Log;
}

/** A phone may take this long for a connection and its identity, ms. */
const LINK_MS = 5_000;

/** Of the lines in the text of a failure, characters. */
const MOST_LINES = 400;

/** Powers the phones of an engine on and off, and observes their boots. Operations of one phone are called one after the other. */
export class PhonePower {
  readonly #parts: PhonePowerParts;
  /** Boots that were found done, beside those in the phones' records. */
  readonly #booted = new Map<string, { start: string; identity: string }>();

  constructor(parts: PhonePowerParts) {
    this.#parts = parts;
  }

  /**
   * Returns the phone's state. One that has booted and does not respond now is still reported as running: the service's health checks find
   * out why, and a busy host must not end a customer's run.
   */
  async status(phone: MadePhone, signal?: AbortSignal): Promise<PhoneStatus> {
    const power = await this.#parts.engine.power(phone, signal);
    if (!power.on) {
      this.#booted.delete(phone.phoneId);
      const reason = phone.on ? (power.reason ?? 'it went off') : undefined;
      return { state: 'stopped', ...(reason !== undefined && { reason }) };
    }
    const identity = await this.#identity(phone, power, signal);
    return identity === undefined ? { state: 'starting' } : running(power, identity);
  }

  async start(phone: MadePhone, { signal, onProgress, endedIdentity }: StartOptions): Promise<PhoneEndpoint> {
    const { engine } = this.#parts;
    const power = await engine.power(phone, signal);
    if (power.on) {
      const identity = await this.#identity(phone, power, signal);
      if (identity !== undefined && identity !== endedIdentity) return endpointOf(power, identity);
      if (identity !== undefined) await this.stop(phone, 'save', { signal });
    }
    const obstacle = await engine.obstacle(phone.made);
    if (obstacle !== undefined) throw cannotRun(obstacle);
    return inTurn(this.#parts.boots, signal, () => this.#boot(phone, { signal, onProgress }));
  }

  async stop(phone: MadePhone, how: 'save' | 'kill', options: OperationOptions = {}): Promise<void> {
    await this.#parts.folders.change(phone, { on: false });
    this.#booted.delete(phone.phoneId);
    await this.#parts.engine.powerOff(phone, how, options);
  }

  /** Opens the way out of a phone that went on while no process of the service was there; Android has its settings. */
  async adopt(phone: MadePhone): Promise<void> {
    const { engine } = this.#parts;
    if ((await engine.power(phone)).on) await engine.openExit(phone);
  }

  /** Opens the way to the phone's forwarder, as its record has it, and has Android use it. A phone that is off gets it at its next start. */
  async renewExit(phone: MadePhone, signal?: AbortSignal): Promise<void> {
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

  /** Has a phone that has booted see the conditions of its record. Any other gets them by its boot. */
  async renewConditions(phone: MadePhone, before: PhoneConditions, signal?: AbortSignal): Promise<void> {
    const power = await this.#parts.engine.power(phone, signal);
    if (!power.on || (this.#booted.get(phone.phoneId) ?? phone.booted)?.start !== power.start) return;
    await this.#parts.engine.conditions?.set(phone, phone.conditions ?? {}, before, signal);
  }

  forget(phoneId: string): void {
    this.#booted.delete(phoneId);
  }

  async #boot(phone: MadePhone, { signal, onProgress }: OperationOptions): Promise<PhoneEndpoint> {
    const { engine, folders, clock, log } = this.#parts;
    signal?.throwIfAborted();
    // Before it has power: after a crash in between, a phone that is found off is one that went off by itself.
    const known = await folders.change(phone, { on: true });
    if (!(await engine.power(known, signal)).on) await engine.powerOn(known, { signal });
    onProgress?.(20);
    try {
      const power = await this.#poweredOn(known, signal);
      const proxy = await engine.openExit(known);
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

  /** '' where the engine has none now: they only explain a failure. */
  async #lastLines(phone: MadePhone): Promise<string> {
    try {
      return await this.#parts.engine.lastLines(phone);
    } catch (error) {
      this.#parts.log.warn({ phone: phone.phoneId, err: error }, 'the last lines of a phone cannot be read');
      return '';
    }
  }

  async #poweredOn(phone: MadePhone, signal: AbortSignal | undefined): Promise<Power & { on: true }> {
    const power = await this.#parts.engine.power(phone, signal);
    if (power.on) return power;
    throw new BootFailure(`went off as soon as it was started (${power.reason ?? 'no reason is known'})`);
  }

  /** Undefined while the phone is in the start `power`. */
  async #reasonOff(
    phone: MadePhone,
    power: Power & { on: true },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const now = await this.#parts.engine.power(phone, signal);
    if (!now.on) return now.reason ?? 'no reason is known';
    return now.start === power.start ? undefined : 'it was restarted';
  }

  /**
   * Of a phone that is on and whose start was completed; undefined before. Android may have booted while no start was under way, as its
   * one was aborted or the service ended: such a phone has neither its exit nor, as a clone, an identity of its own.
   */
  async #identity(
    phone: MadePhone,
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
        // It reboots by itself.
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

/** Phones that the service makes may have its helper programs. */
function endpointOf({ host, port }: Power & { on: true }, identity: string): PhoneEndpoint {
  return { host, port, identity, helpers: true };
}

/**
 * For the customer; the reason is for the operator, who has it in the log and in the problems of the host. Not final: an engine that is
 * restarted is back in seconds.
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
    .slice(-MOST_LINES);
}
