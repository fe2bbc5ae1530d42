import { isObject, listOf, written } from './short-forms.js';
import { DEVICE, type Tool } from './tools.js';

/** The HTTP request of a call. */
export interface ApiRequest {
  /** The path with the query. */
  path: string;
  /** Absent: the operation takes none. */
  body?: Record<string, unknown>;
  headers: Record<string, string>;
}

/** A call that cannot become a request. The text names the change that is needed. */
export class BadCall extends Error {}

/** Makes the request of a call. The API itself refuses invalid arguments, as its texts are better. */
export function requestOf(
  tool: Tool,
  sent: Record<string, unknown>,
  context: { defaultDevice: string | undefined; newKey: () => string },
): ApiRequest {
  const { operation, places, step, document } = tool;
  // Some models send null for an argument that they leave out. The default of the argument is used then.
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  const device = tool.namesDevice ? undefined : context.defaultDevice;
  const args: Record<string, unknown> = { [DEVICE]: device, ...tool.defaults, ...withSteps(tool, given) };
  const inPlace: Record<'path' | 'query' | 'body' | 'step', Record<string, unknown>> = {
    path: {},
    query: {},
    body: {},
    step: {},
  };
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) continue;
    const place = places.get(name);
    if (place !== undefined) inPlace[place.in][place.name] = written(value, place.schema, document);
    else if (Object.hasOwn(given, name)) throw unknownArgument(name, tool);
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(inPlace.query)) query.set(name, textOf(value));
  const body = step === undefined ? inPlace.body : { ...inPlace.body, steps: [{ [step]: inPlace.step }] };
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    path: pathOf(tool, inPlace.path) + (query.size > 0 ? `?${query.toString()}` : ''),
    // With this header, a repeated request makes no second device.
    headers: takesKey ? { 'idempotency-key': context.newKey() } : {},
    ...(operation.body !== undefined && { body }),
  };
}

/** Fields of a step that are no action by themselves. Beside a list of one step, they belong to that step. */
const BESIDE_STEP: ReadonlySet<string> = new Set(['expect', 'wait_s']);

/**
 * Returns the arguments with their steps as a list. A call may give the fields of one step as arguments in place of a list. It may also
 * give the fields of BESIDE_STEP beside a list of one step.
 */
function withSteps({ stepFields, shown }: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const { steps, ...beside } = given;
  const fields = Object.entries(beside).filter(([name]) => stepFields.has(name));
  const [[name] = []] = fields;
  if (name === undefined) return given;
  const rest = Object.fromEntries(Object.entries(beside).filter(([other]) => !stepFields.has(other)));
  const one = steps === undefined ? {} : onlyStep(steps);
  if (one === undefined || fields.some(([field]) => steps !== undefined && (!BESIDE_STEP.has(field) || field in one)))
    throw new BadCall(`${shown.name}: put "${name}" into one of the steps, not beside them.`);
  return { ...rest, steps: [{ ...one, ...Object.fromEntries(fields) }] };
}

/** Returns the only step of a list, without its nulls. Undefined: the list is empty or has several, or the step is no object. */
function onlyStep(steps: unknown): Record<string, unknown> | undefined {
  const [step, ...others] = listOf(steps) ?? [];
  if (others.length > 0 || !isObject(step)) return undefined;
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null));
}

function pathOf({ operation, places }: Tool, values: Record<string, unknown>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value !== undefined && value !== '') return encodeURIComponent(textOf(value));
    const [argument] = [...places].find(([, place]) => place.in === 'path' && place.name === name) ?? [name];
    const hint = argument === DEVICE ? ' list_devices shows the devices.' : '';
    throw new BadCall(`The argument "${argument}" is missing.${hint}`);
  });
}

function unknownArgument(name: string, { shown, places, stepFields }: Tool): BadCall {
  const known = [...places.keys()].filter((one) => one in (shown.inputSchema.properties ?? {}));
  const allowed = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
  const inPlace = stepFields.size === 0 ? '' : ` In place of steps it takes one step: ${[...stepFields].join(', ')}.`;
  return new BadCall(`${shown.name} has no argument "${name}". ${allowed}${inPlace}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
