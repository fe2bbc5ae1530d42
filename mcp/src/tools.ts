import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { ApiDocument, Operation, Schema } from './document.js';
import type { Offer } from './offered.js';
import { oneLine, sentences, ToolSchemas } from './schemas.js';
import { ToolNames } from './tool-names.js';

/** A tool, and how a call of it becomes a request. */
export interface Tool {
  /** The tool as clients see it. */
  shown: McpTool;
  operation: Operation;
  /** Where each argument goes. An argument without a place is refused. */
  places: ReadonlyMap<string, Place>;
  defaults: Record<string, unknown>;
  /** The step of `act` that the arguments become. */
  step: string | undefined;
  /** Names of the fields of a step, if a call may give the fields of one step in place of a list of steps. Else empty. */
  stepFields: ReadonlySet<string>;
  /** The description of the API, to which the arguments belong. */
  document: ApiDocument;
  /** Whether each call must name the device, even if there is a default device. */
  namesDevice: boolean;
  /** Arguments of a valid call, as JSON. */
  example: string;
}

/** The part of the request that has an argument, and its name there. */
export interface Place {
  in: 'path' | 'query' | 'body' | 'step';
  name: string;
  /** The schema of the argument in the API. */
  schema: Schema;
}

/** The argument that names the device, wherever the operation has it. */
export const DEVICE = 'device';

const MAX_SENTENCES = 3;

interface Argument extends Place {
  required: boolean;
  /** The argument's name in WORDS, such as `TargetInput.text`. */
  words: string;
}

/** Makes the tools. With a default device, calls need not name one. */
export function toolsOf(
  offers: readonly Offer[],
  document: ApiDocument,
  defaultDevice: string | undefined,
): { tools: Tool[]; names: ToolNames } {
  const whole = offers.filter(({ step }) => step === undefined);
  const names = new ToolNames(
    whole.map((offer) => ({ tool: nameOf(offer), operation: document.operation(offer.operation) })),
  );
  return { tools: offers.map((offer) => toolOf(offer, document, defaultDevice, names)), names };
}

function toolOf(offer: Offer, document: ApiDocument, defaultDevice: string | undefined, names: ToolNames): Tool {
  const operation = document.operation(offer.operation);
  const defaults = offer.defaults ?? {};
  const all =
    offer.step === undefined ? argumentsOf(operation, document) : stepArguments(operation, document, offer.step);
  // The tool of a step shows only the step's own arguments; the others can be given all the same.
  const isShown = ([name, { in: place }]: [string, Argument]): boolean =>
    !(offer.without ?? []).includes(name) && (offer.step === undefined || place !== 'body');
  const shown = [...all].filter(isShown);
  const { namesDevice = false, example } = offer;
  const device = namesDevice ? undefined : defaultDevice;
  const schemas = new ToolSchemas(
    document,
    names,
    shown.map(([, { schema }]) => schema),
  );
  const properties = shown.map(([name, { schema, words }]): [string, Schema] => {
    if (name === DEVICE) return [name, { type: 'string', ...(device !== undefined && { default: device }) }];
    const made = schemas.make(schema, words);
    return [name, name in defaults ? withDefault(made, defaults[name]) : made];
  });
  const required = shown
    .filter(([name, argument]) => argument.required && !(name === DEVICE && device !== undefined))
    .map(([name]) => name);
  return {
    shown: {
      name: nameOf(offer),
      description: names.in(descriptionOf(operation, offer)),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(required.length > 0 && { required }),
        ...(Object.keys(schemas.defs).length > 0 && { $defs: schemas.defs }),
      },
      annotations: {
        readOnlyHint: operation.isRead,
        ...(!operation.isRead && { destructiveHint: offer.adds !== true }),
      },
    },
    operation,
    places: new Map(all),
    // The operation gets only the defaults of arguments that it has.
    defaults: Object.fromEntries(Object.entries(defaults).filter(([name]) => all.has(name))),
    step: offer.step,
    namesDevice,
    stepFields: offer.step === undefined ? stepFieldsOf(operation, document) : new Set(),
    document,
    example: JSON.stringify({ ...(required.includes(DEVICE) && { device: 'demo' }), ...example }),
  };
}

function argumentsOf(operation: Operation, document: ApiDocument): Map<string, Argument> {
  const found = new Map<string, Argument>();
  for (const { name, in: place, required, description, schema } of operation.parameters) {
    if (place === 'header') continue;
    const shown = place === 'path' && name === 'name' ? DEVICE : name;
    const words = `${operation.operationId}.${name}`;
    found.set(shown, { in: place, name, required, schema: { ...schema, description }, words });
  }
  if (operation.body !== undefined) {
    const inSteps = stepFieldsOf(operation, document);
    for (const [name, argument] of bodyArguments(operation.body, document, inSteps)) found.set(name, argument);
  }
  return found;
}

function stepFieldsOf({ body }: Operation, document: ApiDocument): ReadonlySet<string> {
  const { steps } = (body && document.resolve(body).properties) ?? {};
  return new Set(steps?.items === undefined ? [] : Object.keys(document.resolve(steps.items).properties ?? {}));
}

/** Fields of the body. Beside a list of steps, the fields of one step are left out, as a list of one step means the same. */
function* bodyArguments(
  schema: Schema,
  document: ApiDocument,
  inSteps: ReadonlySet<string>,
): Generator<[string, Argument]> {
  const { properties = {}, required = [] } = document.resolve(schema);
  for (const [name, field] of Object.entries(properties)) {
    if (inSteps.has(name)) continue;
    const words = `${document.nameOf(schema) ?? ''}.${name}`;
    yield [name, { in: 'body', name, schema: field, required: required.includes(name) || name === 'steps', words }];
  }
}

/** The fields of one kind of step, and the body's fields beside the steps. */
function stepArguments(operation: Operation, document: ApiDocument, step: string): Map<string, Argument> {
  const all = argumentsOf(operation, document);
  const items = all.get('steps')?.schema.items;
  const kind = items && document.resolve(items).properties?.[step];
  if (kind === undefined) throw new Error(`${operation.operationId} has no step ${step}.`);
  const { properties = {}, required = [] } = document.resolve(kind);
  const own = Object.entries(properties).map(([name, schema]): [string, Argument] => [
    name,
    { in: 'step', name, schema, required: required.includes(name), words: `${document.nameOf(kind) ?? ''}.${name}` },
  ]);
  const device = [...all].filter(([name]) => name === DEVICE);
  const beside = [...all].filter(([name, { in: place }]) => place === 'body' && name !== 'steps');
  return new Map([...device, ...own, ...beside]);
}

function descriptionOf(operation: Operation, { about }: Offer): string {
  if (about !== undefined) return about;
  // Errors reach the model when they happen, and permissions depend on the key.
  const paragraphs = operation.description.split('\n\n').filter((paragraph) => !paragraph.startsWith('**'));
  return oneLine(sentences(paragraphs[0] ?? '', MAX_SENTENCES));
}

function withDefault(schema: Schema, value: unknown): Schema {
  // The description has the default of the API, which is not the tool's default.
  const description = schema.description?.replace(/ ?Absent: [^.]*\.(?= |$)/, '');
  return { ...schema, ...(description !== undefined && { description }), default: value };
}

function nameOf({ tool, operation }: Offer): string {
  return tool ?? operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
