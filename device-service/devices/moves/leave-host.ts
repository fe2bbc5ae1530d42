import type { DeviceDocument } from '../../store/devices.js';
import type { HostDocument } from '../../store/hosts.js';
import type { DevicesContext } from '../devices-context.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { MAX_MOVE_PROBLEMS, MOVE_AGAIN_MS, MOVE_PAUSE_MS, MOVES_AT_ONCE } from '../limits.js';
import { OPERATOR } from '../../record/operator.js';
import { acceptMove, whyNot, whyStays } from './accept-move.js';

/**
 * Moves the devices of this host to other hosts, where the operator has ordered that (`moving`). Each round begins a few jobs, for devices
 * that are stopped, or for running ones too. The host with the most free memory gets the next device.
 *
 * The order is in the host's record and the moves are jobs of their devices. So the next process of the host goes on after a crash. What
 * was tried is in memory only: a device whose move failed is tried again later, and by the next process at once.
 */
export class HostDeparture {
  readonly #context: DevicesContext;
  /** When a move of each device was last begun, by phone. */
  readonly #triedMs = new Map<string, number>();
  #noted = '';

  constructor(context: DevicesContext) {
    this.#context = context;
  }

  /** Begins moves until none is left to begin, and none is under way. Does nothing on a host that keeps its devices. */
  async run(signal: AbortSignal): Promise<void> {
    const { hosts, hostId, clock } = this.#context;
    for (;;) {
      const own = await hosts.find(hostId);
      if (own?.moving === undefined || signal.aborted) return;
      if (!(await this.#round(own, own.moving === 'now'))) return;
      await clock.sleep(MOVE_PAUSE_MS, signal).catch(() => undefined);
    }
  }

  /** Returns whether moves are under way. */
  async #round(own: HostDocument, now: boolean): Promise<boolean> {
    const { devices, hosts, hostId, clock } = this.#context;
    const present = await devices.ofHost(hostId).find();
    const others = (await hosts.list()).filter(({ _id }) => _id !== hostId);
    let atWork = present.filter(({ job }) => job?.kind === 'move').length;
    const problems: string[] = [];
    for (const device of present) {
      if (device.job !== undefined || !(now || device.state !== 'running')) continue;
      const place = this.#placeFor(device, own, others);
      if (place instanceof ApiError) {
        problems.push(`the device "${device.name}" stays: ${place.message}`);
        continue;
      }
      const isDue = clock.now() - (this.#triedMs.get(device._id) ?? -Infinity) >= MOVE_AGAIN_MS;
      if (!isDue)
        problems.push(`the device "${device.name}" stays: its last move failed (job list), and is tried again later`);
      else if (atWork < MOVES_AT_ONCE && (await this.#begin(device, place, now))) atWork++;
    }
    for (const phoneId of this.#triedMs.keys())
      if (present.every(({ _id }) => _id !== phoneId)) this.#triedMs.delete(phoneId);
    await this.#note(problems);
    return atWork > 0;
  }

  /** Returns the host that is to have the device, or why there is none. */
  #placeFor(device: DeviceDocument, own: HostDocument, others: readonly HostDocument[]): string | ApiError {
    const stays = whyStays(device, own);
    if (stays !== undefined) return stays;
    const at = { hostId: own._id, nowMs: this.#context.clock.now() };
    const reasons = others.map((other) => ({ other, reason: whyNot(other, device, at) }));
    const fit = reasons.filter(({ reason }) => reason === undefined).map(({ other }) => other);
    const freeOf = (host: HostDocument): number =>
      host.drivers.find(({ kind }) => kind === device.driver)?.freeMemoryMb ?? 0;
    const best = fit.sort((a, b) => freeOf(b) - freeOf(a))[0];
    return best?._id ?? reasons[0]?.reason ?? new ApiError('unavailable', 'there is no other host.');
  }

  async #begin(device: DeviceDocument, to: string, now: boolean): Promise<boolean> {
    try {
      await acceptMove(this.#context, device, { to, now, requestedBy: OPERATOR });
      this.#triedMs.set(device._id, this.#context.clock.now());
      return true;
    } catch (error) {
      // The customer may have begun a job on the device since it was read.
      if (!(error instanceof ApiError)) throw error;
      return false;
    }
  }

  /** Writes why devices stay, where that has changed. */
  async #note(problems: readonly string[]): Promise<void> {
    const { hosts, hostId } = this.#context;
    const shown = problems.slice(0, MAX_MOVE_PROBLEMS);
    if (problems.length > shown.length) shown.push(`${problems.length - shown.length} more devices stay`);
    const text = shown.join('\n');
    if (text === this.#noted) return;
    await hosts.noteMoveProblems(hostId, shown);
    this.#noted = text;
  }
}
