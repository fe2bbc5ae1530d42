import type { Step } from '../../client/src/agent.js';
import type { GymPhone } from './phone/gym-phone.js';
import type { Random } from './random.js';

/** What an agent does in a step: a step of `act`, or its last word. The words of an answer count for nothing; the phone's state does. */
export type Action = Step | { answer: { text: string } };

/** What an agent sees after each step. */
export interface Observation {
  goal: string;
  /** Package of the app in front. */
  app: string;
  /** All elements, one line each; the grammar is that of `elements_text` in the reference. */
  text: string;
  /** The lines that differ from the observation before. The same as `text` on a new screen. */
  changed: string;
  /** Why the last step failed. */
  error?: string;
}

/** A script that decides the steps of a task. A generator gets the observation after each step. */
export type Script = readonly Action[] | Generator<Action, unknown, Observation>;

/** Something that a person asks an agent to do on a phone. */
export interface Task<Params = never> {
  id: string;
  family: string;
  /** Most steps of an episode. */
  maxSteps: number;
  params: (random: Random) => Params;
  goal: (params: Params) => string;
  /** Brings the phone from the state of the template into that of the task. Absent: it is there. */
  prepare?: (phone: GymPhone, params: Params) => Promise<unknown>;
  /** Returns what the phone's state lacks. Undefined: the goal is reached. */
  verdict: (phone: GymPhone, params: Params) => Promise<string | undefined>;
  /** The script that reaches the goal by our own interface. */
  policy: (params: Params) => Script;
}

/** A task whose parameters nobody needs to know. */
export interface AnyTask extends Omit<Task, 'params' | 'goal' | 'prepare' | 'verdict' | 'policy'> {
  /** Returns the task with the parameters of a seed. */
  at: (seed: number) => BoundTask;
}

/** A task with its parameters. */
export interface BoundTask {
  id: string;
  family: string;
  maxSteps: number;
  params: unknown;
  goal: string;
  prepare: (phone: GymPhone) => Promise<void>;
  verdict: (phone: GymPhone) => Promise<string | undefined>;
  policy: () => Script;
}
