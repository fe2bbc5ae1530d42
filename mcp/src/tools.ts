import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { ApiDocument, Operation, Schema } from './document.js';
import type { Offer } from './offered.js';
import { oneLine, sentences, ToolSchemas } from './schemas.js';
import { ToolNames } from './tool-names.js';

/** A tool, and how a call of it becomes a request. */
export interface Tool {
  /** As clients see it. */
  shown: McpTool;
  operation: Operation;
  /** Where each argument goes; one that is not here is refused. */
  places: ReadonlyMap<string, Place>;
  defaults: Record<string, unknown>;
  /** The step of `act` that the arguments become. */
  step: string | undefined;
}

/** The part of the request that has an argument, and its name there. */
export interface Place {
  in: 'path' | 'query' | 'body' | 'step';
  name: string;
}

/** The argument that names the device, wherever the operation has it. */
export const DEVICE = 'device';

const SENTENCES_MAX = 3;

interface Argument extends Place {
  schema: Schema;
  required: boolean;
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
  // Of a step, only its own arguments are shown; the others can be given all the same.
  const isShown = ([name, { in: place }]: [string, Argument]): boolean =>
    !(offer.without ?? []).includes(name) && (offer.step === undefined || place !== 'body');
  const shown = [...all].filter(isShown);
  const schemas = new ToolSchemas(document, names);
  const properties = shown.map(([name, { schema }]): [string, Schema] => {
    const made = schemas.inPlace(schema);
    if (name === DEVICE && defaultDevice !== undefined) return [name, { ...made, default: defaultDevice }];
    return [name, name in defaults ? withDefault(made, defaults[name]) : made];
  });
  const required = shown
    .filter(([name, argument]) => argument.required && !(name === DEVICE && defaultDevice !== undefined))
    .map(([name]) => name);
  return {
    shown: {
      name: nameOf(offer),
      description: names.in(descriptionOf(operation, offer, document)),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(required.length > 0 && { required }),
      },
      annotations: {
        readOnlyHint: operation.isRead,
        ...(!operation.isRead && { destructiveHint: offer.adds !== true }),
      },
    },
    operation,
    places: new Map(all),
    // Only those that the operation has.
    defaults: Object.fromEntries(Object.entries(defaults).filter(([name]) => all.has(name))),
    step: offer.step,
  };
}

function argumentsOf(operation: Operation, document: ApiDocument): Map<string, Argument> {
  const found = new Map<string, Argument>();
  for (const { name, in: place, required, description, schema } of operation.parameters) {
    if (place === 'header') continue;
    const shown = place === 'path' && name === 'name' ? DEVICE : name;
    found.set(shown, { in: place, name, required, schema: { ...schema, description } });
  }
  if (operation.body !== undefined) {
    for (const [name, argument] of bodyArguments(operation.body, document)) found.set(name, argument);
  }
  return found;
}

/** Fields of the body. Where there is a list of steps, the one step beside it is left out: a list of one is the same. */
function* bodyArguments(schema: Schema, document: ApiDocument): Generator<[string, Argument]> {
  const { properties = {}, required = [] } = document.resolve(schema);
  const { steps } = properties;
  const inSteps = steps?.items === undefined ? {} : (document.resolve(steps.items).properties ?? {});
  for (const [name, field] of Object.entries(properties)) {
    if (name in inSteps) continue;
    yield [name, { in: 'body', name, schema: field, required: required.includes(name) || name === 'steps' }];
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
    { in: 'step', name, schema, required: required.includes(name) },
  ]);
  const device = [...all].filter(([name]) => name === DEVICE);
  const beside = [...all].filter(([name, { in: place }]) => place === 'body' && name !== 'steps');
  return new Map([...device, ...own, ...beside]);
}

function descriptionOf(operation: Operation, { step }: Offer, document: ApiDocument): string {
  if (step !== undefined) {
    const steps = document.resolve(operation.body ?? {}).properties?.['steps'];
    return oneLine(document.resolve(steps?.items ?? {}).properties?.[step]?.description ?? '');
  }
  // Errors reach the model when they happen, and permissions depend on the key.
  const paragraphs = operation.description.split('\n\n').filter((paragraph) => !paragraph.startsWith('**'));
  return oneLine(sentences(paragraphs[0] ?? '', SENTENCES_MAX));
}

function withDefault(schema: Schema, value: unknown): Schema {
  // The comment has the default of the API, which is not that of the tool.
  const description = schema.description?.replace(/ ?Absent: [^.]*\.(?= |$)/, '');
  return { ...schema, ...(description !== undefined && { description }), default: value };
}

function nameOf({ tool, operation }: Offer): string {
  return tool ?? operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
