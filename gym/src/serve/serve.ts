import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Environment, type EnvironmentOptions } from '../environment.js';
import type { EpisodePhones } from '../pool/gym-phones.js';
import { snakeCase } from '../report/snake-case.js';
import type { AnyTask } from '../task.js';

/** One request: a line of JSON. The response has the same `id`. */
interface Request {
  id?: unknown;
  do?: unknown;
  /** The environment: a word of the client, so that one process serves several. Absent: the first one. */
  env?: unknown;
  task?: unknown;
  seed?: unknown;
  action?: unknown;
}

/** Most characters of one request. */
const MAX_LINE_CHARS = 1024 * 1024;

/** Most environments of one process. */
const MAX_ENVIRONMENTS = 50;

/** The parts of a served gym. */
export interface Serving extends EnvironmentOptions {
  tasks: readonly AnyTask[];
  input: Readable;
  line: (text: string) => void;
  /** Ends the service before the input does. */
  signal?: AbortSignal;
}

/** One environment, and the request that it does last. */
interface Place {
  environment: Environment;
  last: Promise<unknown>;
}

/**
 * Serves environments over lines of JSON, until the input ends: `list`, `reset`, `step`, `close`. So a program in another language has the
 * same tasks and verdicts. The requests of one environment are done one after the other, those of several at the same time.
 */
export async function serveGym(phones: EpisodePhones, serving: Serving): Promise<void> {
  const environments = new Map<string, Place>();
  const placeOf = (name: string): Place => {
    const known = environments.get(name);
    if (known !== undefined) return known;
    if (environments.size >= MAX_ENVIRONMENTS)
      throw new Error(`A gym has at most ${MAX_ENVIRONMENTS} environments at a time. Close one first.`);
    const place = { environment: new Environment(phones, serving), last: Promise.resolve() };
    environments.set(name, place);
    return place;
  };
  const accept = (text: string): void => {
    let id: unknown;
    const fail = (error: unknown): void =>
      serving.line(JSON.stringify({ id, error: error instanceof Error ? error.message : String(error) }));
    try {
      const request = parsed(text);
      id = request.id;
      const name = typeof request.env === 'string' ? request.env : '';
      const place = placeOf(name);
      const work = async (): Promise<void> => {
        try {
          const result = await resultOf(request, place.environment, serving.tasks);
          serving.line(JSON.stringify({ id, result: snakeCase(result) }));
        } catch (error) {
          fail(error);
        }
        // A closed environment counts no more, unless another request for it waits.
        if (request.do === 'close' && place.last === done) environments.delete(name);
      };
      const done = place.last.then(work, work);
      place.last = done;
    } catch (error) {
      fail(error);
    }
  };
  const { input, signal } = serving;
  for await (const text of createInterface({ input, crlfDelay: Infinity, ...(signal && { signal }) }))
    if (text.trim() !== '') accept(text);
  await Promise.allSettled([...environments.values()].map(({ last }) => last));
  await Promise.allSettled([...environments.values()].map(({ environment }) => environment.close()));
}

async function resultOf(request: Request, environment: Environment, tasks: readonly AnyTask[]): Promise<unknown> {
  switch (request.do) {
    case 'list':
      return tasks.map(({ id, family, maxSteps }) => ({ id, family, maxSteps }));
    case 'reset': {
      const task = tasks.find(({ id }) => id === request.task);
      if (task === undefined)
        throw new Error(`There is no task ${JSON.stringify(request.task)}. "list" names all tasks.`);
      return environment.reset(task, Number.isSafeInteger(request.seed) ? (request.seed as number) : 0);
    }
    case 'step':
      if (typeof request.action !== 'object' || request.action === null)
        throw new Error(
          'A step needs "action": an object such as {"tap": {"text": "Save"}} or {"answer": {"text": "done"}}.',
        );
      return environment.step(request.action);
    case 'close':
      await environment.close();
      return null;
    default:
      throw new Error(`"do" is ${JSON.stringify(request.do)}. It can be "list", "reset", "step" or "close".`);
  }
}

function parsed(text: string): Request {
  if (text.length > MAX_LINE_CHARS) throw new Error(`A request has at most ${MAX_LINE_CHARS} characters.`);
  const request: unknown = JSON.parse(text);
  if (typeof request !== 'object' || request === null) throw new Error('A request is an object of JSON in one line.');
  return request;
}
