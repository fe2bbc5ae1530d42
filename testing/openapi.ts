import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { wholeDocument } from '../reference/document/whole-document.js';
import type { Route } from '../gateway/routes/route.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- the document is read without types

export interface OpenApi {
  document: Json;
  routes: readonly Route[];
  /** A validator for the target of a JSON pointer in the document, such as `/components/schemas/Device`. */
  validatorAt(pointer: string): ValidateFunction;
  /** The faults of a response, against the operation of its request; empty: none. */
  faultsOf(response: ObservedResponse): string[];
}

export interface ObservedResponse {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  contentType: string | undefined;
  headers: Headers;
  /** Parsed, when it is JSON. */
  body: unknown;
}

let opened: OpenApi | undefined;

/** The reference of this service, made once in a process. */
export function openApi(): OpenApi {
  return (opened ??= createOpenApi(wholeDocument()));
}

/** Returns the reference of another release from its document, with only the routes that this release has too. */
export function openApiOf(document: Json): OpenApi {
  const { routes } = wholeDocument();
  const known = routes.filter(({ template, method }) => document['paths'][template]?.[method.toLowerCase()]);
  return createOpenApi({ document, routes: known });
}

function createOpenApi({ document, routes }: { document: Json; routes: readonly Route[] }): OpenApi {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'service', ...closed(document) });
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    let validator = validators.get(pointer);
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `service#${pointer}` });
      validators.set(pointer, validator);
    }
    return validator;
  };
  return { document, routes, validatorAt, faultsOf: (response) => faultsOf(response, document, routes, validatorAt) };
}

/**
 * The document with every object closed, so that a field that it does not have is a fault. Callers must accept new fields; tests do not.
 */
function closed(document: Json): Json {
  const copy = structuredClone(document);
  for (const schema of Object.values(copy['components']['schemas'] as Record<string, Json>)) {
    schema['additionalProperties'] ??= false;
  }
  return copy;
}

function faultsOf(
  { method, path, status, contentType, headers, body }: ObservedResponse,
  document: Json,
  routes: readonly Route[],
  validatorAt: OpenApi['validatorAt'],
): string[] {
  const route = routeFor(routes, method, path);
  if (route === undefined) return [];
  const operation = document['paths'][route.template][route.method.toLowerCase()];
  const pointer = `/paths/${escapePointer(route.template)}/${route.method.toLowerCase()}/responses/${status}`;
  const named: Json | undefined = operation.responses[status];
  if (named === undefined) return [`status ${status} is not one of ${Object.keys(operation.responses).join(', ')}`];
  const reference = named['$ref'] as string | undefined;
  const at = reference === undefined ? pointer : reference.slice(1);
  const response: Json =
    reference === undefined ? named : document['components'].responses[reference.split('/').at(-1) ?? ''];
  const unknown = [...headers.keys()].filter(
    (name) =>
      !TRANSPORT_HEADERS.has(name) && !Object.keys(response['headers']).some((known) => known.toLowerCase() === name),
  );
  const faults = unknown.map((name) => `the header ${name} is not in the reference`);
  const type = contentType?.split(';')[0];
  const content: Json = response['content'] ?? {};
  if (method === 'HEAD' || status === 304) return faults;
  if (type === undefined) return Object.keys(content).length === 0 ? faults : [...faults, 'there is no body'];
  if (content[type] === undefined) return [...faults, `a body of type ${type} is not in the reference`];
  if (type !== 'application/json') return faults;
  const validate = validatorAt(`${at}/content/application~1json/schema`);
  if (validate(body)) return faults;
  return [
    ...faults,
    ...(validate.errors ?? []).map(
      (error) => `body${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
    ),
  ];
}

/** Headers of HTTP itself, and of bodies of any type. */
const TRANSPORT_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'content-encoding', 'date', 'keep-alive', 'transfer-encoding'],
  ...['x-content-type-options', 'content-security-policy', 'cache-control', 'vary'],
]);

/** The route of a request as the edge finds it: literal segments before parameters. */
function routeFor(routes: readonly Route[], method: string, path: string): Route | undefined {
  const parts = path.split('/').slice(1);
  const asked = method === 'HEAD' ? 'GET' : method;
  const candidates = routes.filter(
    ({ method: own, binding: { segments } }) =>
      own === asked &&
      segments.length === parts.length &&
      segments.every((segment, index) =>
        'literal' in segment ? segment.literal === parts[index] : parts[index] !== '',
      ),
  );
  const literals = ({ binding }: Route): number => binding.segments.filter((segment) => 'literal' in segment).length;
  return candidates.sort((a, b) => literals(b) - literals(a))[0];
}

function escapePointer(text: string): string {
  return encodeURI(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
