import type { Json } from '../document/json.js';
import type { SampleRequest, Value } from '../samples/request.js';

/** A JSON Schema with the keywords that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  format?: string;
  contentEncoding?: string;
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  oneOf?: readonly { required: readonly string[] }[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
  example?: Value | readonly Value[];
}

export interface Content {
  schema: Schema;
  example?: unknown;
}

export interface Response {
  status: string;
  description: string;
  /** Names of its headers, without those that every response has. */
  headers: readonly string[];
  content: readonly (readonly [type: string, content: Content])[];
}

/** An operation of the document, or the request that brings an event to a receiver. */
export interface Operation {
  /** The operation id. It is also the anchor on the page. */
  id: string;
  tag: string;
  /** Upper case. */
  method: string;
  /** The path with parameters in braces; for an event, the name of the event. */
  path: string;
  title: string;
  /** Markdown. */
  description: string;
  /** The paragraph about errors in its comment, without the word "Errors". Undefined when there is none. */
  errors: string | undefined;
  callers: string | undefined;
  limits: readonly string[];
  /** Who may call it: a key and a session, a session alone, or anyone. */
  access: SampleRequest['access'];
  isEvent: boolean;
  parameters: readonly Parameter[];
  /** Undefined when the operation takes no body. */
  body: { required: boolean; type: string; content: Content } | undefined;
  successes: readonly Response[];
  failures: readonly Response[];
}

/** A tag of the document: a page. */
export interface Resource {
  /** The name of its tag, in the singular. */
  name: string;
  /** For people, in the plural: "Devices". */
  title: string;
  /** The name in addresses of pages. */
  slug: string;
  /** Markdown. */
  description: string;
  operations: readonly Operation[];
}

/** Resources that are shown together. */
export interface ResourceGroup {
  title: string;
  resources: readonly Resource[];
}

/** The document as the pages need it. */
export interface Api {
  title: string;
  /** Markdown. */
  introduction: string;
  groups: readonly ResourceGroup[];
  /** The resources of all groups, in their order. */
  resources: readonly Resource[];
  schemas: Record<string, Schema>;
}

interface RawResponse {
  $ref?: string;
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

interface RawOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  security: readonly object[];
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, RawResponse>;
  'x-limits'?: readonly string[];
}

interface RawDocument {
  info: { title: string; description: string };
  tags: readonly { name: string; 'x-displayName': string; description: string }[];
  'x-tagGroups': readonly { name: string; tags: readonly string[] }[];
  paths: Record<string, Record<string, RawOperation>>;
  'x-webhooks': Record<string, { post: RawOperation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, RawResponse> };
}

/** Reads the OpenAPI document that this service makes. */
export function readApi(document: Json): Api {
  const { info, tags, paths, 'x-webhooks': events, components, ...more } = document as unknown as RawDocument;
  const read = (method: string, path: string, raw: RawOperation, isEvent: boolean): Operation =>
    operationOf(method, path, raw, isEvent, components.responses);
  const operations = [
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => read(method.toUpperCase(), path, raw, false)),
    ),
    ...Object.entries(events).map(([event, { post }]) => read('POST', event, post, true)),
  ];
  const all = tags.map(({ name, 'x-displayName': title, description }) => ({
    ...{ name, title, description, slug: name.toLowerCase() },
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const groups = more['x-tagGroups'].map(({ name, tags: names }) => ({
    title: name,
    resources: all.filter((resource) => names.includes(resource.name)),
  }));
  const resources = groups.flatMap((group) => group.resources);
  return { title: info.title, introduction: info.description, groups, resources, schemas: components.schemas };
}

function operationOf(
  method: string,
  path: string,
  raw: RawOperation,
  isEvent: boolean,
  components: Record<string, RawResponse>,
): Operation {
  const paragraphs = raw.description.split('\n\n');
  const marked = (word: string): string | undefined =>
    paragraphs.find((paragraph) => paragraph.startsWith(`**${word}:** `))?.slice(word.length + 6);
  const body = Object.entries(raw.requestBody?.content ?? {})[0];
  const responses = Object.entries(raw.responses).map(([status, response]) => responseOf(status, response, components));
  const isFailure = ({ status }: Response): boolean => status === 'default' || /^[45]/.test(status);
  return {
    ...{ id: raw.operationId, tag: raw.tags[0] ?? '', method, path, title: raw.summary, isEvent },
    description: paragraphs.filter((paragraph) => !/^\*\*(?:Errors|Callers):\*\* /.test(paragraph)).join('\n\n'),
    errors: marked('Errors'),
    callers: marked('Callers'),
    limits: raw['x-limits'] ?? [],
    access: raw.security.length === 0 ? 'anyone' : raw.security.some((way) => 'apiKey' in way) ? 'key' : 'session',
    parameters: raw.parameters ?? [],
    body: body && { required: raw.requestBody?.required === true, type: body[0], content: body[1] },
    successes: responses.filter((response) => !isFailure(response)),
    failures: responses.filter(isFailure),
  };
}

const EVERYWHERE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

function responseOf(status: string, raw: RawResponse, components: Record<string, RawResponse>): Response {
  const { description, headers = {}, content = {} } = raw.$ref === undefined ? raw : resolve(raw.$ref, components);
  return {
    ...{ status, description },
    headers: Object.keys(headers).filter((name) => !EVERYWHERE.includes(name)),
    content: Object.entries(content),
  };
}

/** Returns the component that a reference names. */
export function resolve<T>(reference: string, components: Record<string, T>): T {
  const component = components[reference.split('/').at(-1) ?? ''];
  if (component === undefined) throw new Error(`the document has no component ${reference}`);
  return component;
}
