import { Episode, type Pace, type StepResult } from './episode/episode.js';
import { GymPhone } from './phone/gym-phone.js';
import type { EpisodePhones, LeasedPhone } from './pool/gym-phones.js';
import type { Action, AnyTask, Observation } from './task.js';

/** How the environments of a gym do their work. */
export interface EnvironmentOptions {
  pace?: Partial<Pace>;
  nowMs: () => number;
}

const PACE: Pace = { settleMs: 150, timeoutMs: 60_000 };

/** What `reset` returns: the first observation, and how the reset went. */
export interface ResetResult {
  observation: Observation;
  info: { task: string; family: string; maxSteps: number; device: string; resetMs: number };
}

/** An environment after Gymnasium's API: one phone at a time, and one episode at a time. */
export class Environment {
  readonly #phones: EpisodePhones;
  readonly #pace: Pace;
  readonly #nowMs: () => number;
  #leased: LeasedPhone | undefined;
  #episode: Episode | undefined;

  constructor(phones: EpisodePhones, { pace, nowMs }: EnvironmentOptions) {
    this.#phones = phones;
    this.#pace = { ...PACE, ...pace };
    this.#nowMs = nowMs;
  }

  /** Takes a phone that is in the state of the template, gives the one before back, and brings the phone into the state of the task. */
  async reset(task: AnyTask, seed: number): Promise<ResetResult> {
    const startMs = this.#nowMs();
    this.#giveBack();
    const lease = await this.#phones.take();
    this.#leased = lease;
    const bound = task.at(seed);
    const phone = new GymPhone(lease.device, this.#phones.service);
    try {
      await bound.prepare(phone);
    } finally {
      await phone.release();
    }
    this.#episode = new Episode(bound, phone, { pace: this.#pace, nowMs: this.#nowMs });
    const observation = await this.#episode.begin();
    const { id, family, maxSteps } = bound;
    return {
      observation,
      info: { task: id, family, maxSteps, device: lease.device, resetMs: this.#nowMs() - startMs },
    };
  }

  /** Does one step of the episode. */
  async step(action: Action): Promise<StepResult> {
    return this.episode.step(action);
  }

  /** The episode since the last reset. Throws before the first one. */
  get episode(): Episode {
    if (this.#episode === undefined) throw new Error('There is no episode. Call reset first.');
    return this.#episode;
  }

  /** Gives the phone back. */
  async close(): Promise<void> {
    this.#giveBack();
    await this.#phones.settled();
  }

  #giveBack(): void {
    this.#episode = undefined;
    if (this.#leased === undefined) return;
    this.#phones.giveBack(this.#leased);
    this.#leased = undefined;
  }
}
