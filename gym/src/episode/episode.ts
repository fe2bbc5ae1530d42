import type { ActResult, Agent, Step } from '../../../client/src/agent.js';
import type { GymPhone } from '../phone/gym-phone.js';
import type { Action, BoundTask, Observation } from '../task.js';
import { firstView, isWrongPress, nextView, tokensOf, type View } from './view.js';

/** One entry of an episode's timeline. */
export interface TimelineEntry {
  step: number;
  action: Action;
  /** From the beginning of the episode to the end of the step, ms. */
  atMs: number;
  tookMs: number;
  isWrongPress: boolean;
  /** The lines that differ after the step. */
  changed: string;
  error?: string;
}

/** The counts of an episode. */
export interface EpisodeInfo {
  task: string;
  family: string;
  steps: number;
  tokens: number;
  wrongPresses: number;
  seconds: number;
  /** Present at the end. */
  success?: boolean;
  /** What the phone's state lacks, at the end of an episode without success. */
  reason?: string;
}

/** The result of a step, after Gymnasium's API. */
export interface StepResult {
  observation: Observation;
  /** 1 at the end of an episode that has reached its goal, else 0. */
  reward: number;
  /** The agent has given its last word. */
  terminated: boolean;
  /** The steps are used up. */
  truncated: boolean;
  done: boolean;
  info: EpisodeInfo;
}

/** How the steps of an episode are done. */
export interface Pace {
  /** How long the screen must be still to count as settled, ms. */
  settleMs: number;
  /** Longest time of one step, ms. */
  timeoutMs: number;
}

/** One attempt of an agent at a task, on a phone that is prepared. */
export class Episode {
  readonly task: BoundTask;
  readonly timeline: TimelineEntry[] = [];
  readonly #phone: GymPhone;
  readonly #agent: Agent;
  readonly #pace: Pace;
  readonly #nowMs: () => number;
  readonly #beganMs: number;
  #view: View = { app: '', text: '', changed: '', id: undefined };
  #tokens = 0;
  #end: StepResult | undefined;

  constructor(task: BoundTask, phone: GymPhone, { pace, nowMs }: { pace: Pace; nowMs: () => number }) {
    this.task = task;
    this.#phone = phone;
    this.#agent = phone.service.agent(phone.device);
    this.#pace = pace;
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
  }

  /** Looks at the screen for the first time. */
  async begin(): Promise<Observation> {
    this.#view = firstView(await this.#agent.observe());
    this.#tokens += tokensOf(this.task.goal) + tokensOf(this.#view.text);
    return this.#observation();
  }

  /** Does one step. The last one, which is an answer or the last that the task allows, brings the verdict. */
  async step(action: Action): Promise<StepResult> {
    if (this.#end !== undefined)
      throw new Error(`The episode of ${this.task.id} has ended. Call reset for another one.`);
    const step = this.timeline.length + 1;
    const startMs = this.#nowMs();
    const { result, error } = 'answer' in action ? {} : await this.#act(action);
    const isWrong = !('answer' in action) && isWrongPress(action, result);
    const shown = 'answer' in action ? '' : this.#view.changed;
    this.#tokens += tokensOf(shown);
    const [tookMs, atMs] = [this.#nowMs() - startMs, this.#nowMs() - this.#beganMs];
    const entry = { step, action, atMs, tookMs, isWrongPress: isWrong, changed: shown };
    this.timeline.push({ ...entry, ...(error !== undefined && { error }) });
    const terminated = 'answer' in action;
    const truncated = !terminated && step >= this.task.maxSteps;
    return this.#resultOf({ terminated, truncated }, error);
  }

  async #resultOf(
    { terminated, truncated }: { terminated: boolean; truncated: boolean },
    error: string | undefined,
  ): Promise<StepResult> {
    const done = terminated || truncated;
    const lacking = done ? await this.#verdict() : undefined;
    const success = done && lacking === undefined;
    const info = {
      ...this.info(),
      ...(done && { success }),
      ...(lacking !== undefined && { reason: lacking }),
    };
    const result = {
      ...{ terminated, truncated, done, info },
      observation: this.#observation(error),
      reward: success ? 1 : 0,
    };
    if (done) this.#end = result;
    return result;
  }

  async #verdict(): Promise<string | undefined> {
    try {
      return await this.task.verdict(this.#phone);
    } finally {
      await this.#phone.release();
    }
  }

  /** Returns the counts so far. */
  info(): EpisodeInfo {
    return {
      task: this.task.id,
      family: this.task.family,
      steps: this.timeline.length,
      tokens: this.#tokens,
      wrongPresses: this.timeline.filter((entry) => entry.isWrongPress).length,
      seconds: (this.#nowMs() - this.#beganMs) / 1_000,
    };
  }

  #observation(error?: string): Observation {
    const { app, text, changed } = this.#view;
    return { goal: this.task.goal, app, text, changed, ...(error !== undefined && { error }) };
  }

  async #act(step: Step): Promise<{ result?: ActResult; error?: string }> {
    const { settleMs, timeoutMs } = this.#pace;
    let result: ActResult | undefined;
    let error: string | undefined;
    try {
      const options = { settle_ms: settleMs, timeout_ms: timeoutMs, screen_on_failure: true };
      result = await this.#agent.act(step, options);
      error = result.failed?.message ?? (result.expect_met ? undefined : 'What was expected did not come true.');
    } catch (thrown) {
      if (!isForAgent(thrown)) throw thrown;
      error = thrown.message;
    }
    this.#view = nextView(this.#view, result?.observation) ?? firstView(await this.#agent.observe());
    return { ...(result !== undefined && { result }), ...(error !== undefined && { error }) };
  }
}

/** Whether an error is a mistake of the agent, which may decide again. */
function isForAgent(error: unknown): error is Error {
  if (!(error instanceof Error) || !('kind' in error)) return false;
  return error.kind === 'not_found' || error.kind === 'bad_request';
}
