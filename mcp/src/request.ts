import { DEVICE, type Tool } from './tools.js';

/** The HTTP request of a call. */
export interface ApiRequest {
  /** With the query. */
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
  given: Record<string, unknown>,
  context: { defaultDevice: string | undefined; newKey: () => string },
): ApiRequest {
  const { operation, places, step } = tool;
  const args: Record<string, unknown> = { [DEVICE]: context.defaultDevice, ...tool.defaults, ...given };
  const inPlace: Record<'path' | 'query' | 'body' | 'step', Record<string, unknown>> = {
    path: {},
    query: {},
    body: {},
    step: {},
  };
  for (const [name, value] of Object.entries(args)) {
    // Some models send null for an argument that they leave out.
    if (value === undefined || value === null) continue;
    const place = places.get(name);
    if (place !== undefined) inPlace[place.in][place.name] = value;
    else if (Object.hasOwn(given, name)) throw unknownArgument(name, tool);
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(inPlace.query)) query.set(name, textOf(value));
  const body = step === undefined ? inPlace.body : { ...inPlace.body, steps: [{ [step]: inPlace.step }] };
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    path: pathOf(tool, inPlace.path) + (query.size > 0 ? `?${query.toString()}` : ''),
    // A repeated request then makes no second device.
    headers: takesKey ? { 'idempotency-key': context.newKey() } : {},
    ...(operation.body !== undefined && { body }),
  };
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

function unknownArgument(name: string, { shown, places }: Tool): BadCall {
  const known = [...places.keys()];
  const allowed = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
  return new BadCall(`${shown.name} has no argument "${name}". ${allowed}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
