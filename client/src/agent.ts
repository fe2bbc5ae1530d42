import { applyChanges } from './element-lines.js';
import { CloudPhoneError } from './errors.js';
import type { Method } from './method.js';
import type { components, paths } from './openapi.js';

type Schemas = components['schemas'];
type ObserveQuery = NonNullable<paths['/v1/devices/{name}/observe']['get']['parameters']['query']>;

/** One thing to do on a phone: `{ tap: { text: 'Save' } }`, with `expect` where its effect is known. */
export type Step = Schemas['StepInput'];

/** The content of a phone's screen. */
export type Observation = Schemas['Observation'];

/** The results of steps, and the screen after them. */
export type ActResult = Schemas['ActResult'];

/** Options of `act`, beside the steps. */
export type ActOptions = Pick<
  Schemas['ActBody'],
  | 'settle_ms'
  | 'timeout_ms'
  | 'observe'
  | 'elements'
  | 'format'
  | 'quality'
  | 'max_size'
  | 'marks'
  | 'screen_on_failure'
>;

/** The screen as an agent needs it for a decision. */
export interface View {
  /** Package of the app in front; empty when it is not known. */
  app: string;
  /** All elements, one line each; the grammar is that of `elements_text` in the reference. */
  text: string;
  /**
   * The lines that differ from the previous view, which are enough for a model that has read that view. The same as `text` on a new screen.
   */
  changed: string;
  /** How the last step ended. Absent in the first view, and after an error. */
  result?: ActResult;
  /** Why the last step failed, such as an element that is missing or not unique. Decide again. */
  error?: string;
}

/** Returns the next step or steps, or nothing when the goal is reached. */
export type Decide = (view: View, turn: number) => Step | Step[] | undefined | Promise<Step | Step[] | undefined>;

export interface LoopOptions extends Pick<ActOptions, 'settle_ms' | 'timeout_ms'> {
  /** Most turns. Absent: 20. */
  turns?: number;
  signal?: AbortSignal;
}

/** The methods of a service that an agent uses. */
export interface Service {
  get: Method<'get'>;
  post: Method<'post'>;
}

const TURNS = 20;

/** Errors after which the agent decides again. */
const TO_DECIDE_BY = ['not_found', 'bad_request'];

/**
 * Observes a device and acts on it, for an agent. Use one at a time for each key and device: element ids are those of the key's latest
 * observation.
 */
export class Agent {
  readonly #service: Service;
  readonly #device: string;

  constructor(service: Service, device: string) {
    this.#service = service;
    this.#device = device;
  }

  /** Observes the screen. Without a query: elements as lines of text, and no picture. */
  async observe(query: ObserveQuery = {}, signal?: AbortSignal): Promise<Observation> {
    const params = {
      path: { name: this.#device },
      query: { screenshot: 'none', elements: 'compact', ...query } as const,
    };
    const init = { params, ...(signal && { signal }) };
    return (await this.#service.get('/v1/devices/{name}/observe', init)).observation;
  }

  /** Performs one step or several, and waits until the screen is still. Without options: returns the lines that changed, and no picture. */
  async act(steps: Step | Step[], options: ActOptions = {}, signal?: AbortSignal): Promise<ActResult> {
    const body = { observe: 'elements', elements: 'changed', steps: [steps].flat(), ...options } as const;
    const init = { params: { path: { name: this.#device } }, body, ...(signal && { signal }) };
    return this.#service.post('/v1/devices/{name}/act', init);
  }

  /** Observes, decides and acts until the goal is reached. Returns the number of turns; throws when they are not enough. */
  async loop(decide: Decide, { turns = TURNS, signal, ...options }: LoopOptions = {}): Promise<number> {
    let observation = await this.observe({}, signal);
    let view = viewOf(observation, '');
    for (let turn = 1; turn <= turns; turn++) {
      const steps = await decide(view, turn);
      if (steps === undefined) return turn;
      const { result, error } = await this.#try(steps, options, signal);
      const next = result?.observation;
      // If another program used the key, the difference may be from an observation that was not seen here. Such a difference is of no use.
      const follows = next !== undefined && (next.changed_since ?? observation.id) === observation.id;
      observation = follows ? next : await this.observe({}, signal);
      const message = error ?? result?.failed?.message;
      view = {
        ...viewOf(observation, view.text),
        ...(result && { result }),
        ...(message !== undefined && { error: message }),
      };
    }
    throw new Error(`The goal was not reached in ${turns} turns.`);
  }

  async #try(
    steps: Step | Step[],
    options: ActOptions,
    signal: AbortSignal | undefined,
  ): Promise<{ result?: ActResult; error?: string }> {
    try {
      // With `screen_on_failure`, no further observation is needed after a failure.
      return { result: await this.act(steps, { screen_on_failure: true, ...options }, signal) };
    } catch (error) {
      if (!(error instanceof CloudPhoneError) || !TO_DECIDE_BY.includes(error.kind)) throw error;
      return { error: error.message };
    }
  }
}

/** Returns the view of an observation. `before` has the lines of the previous view. */
function viewOf({ app = '', elements_text: lines = '', changed_since: since }: Observation, before: string): View {
  return { app, text: since === undefined ? lines : applyChanges(before, lines), changed: lines };
}
