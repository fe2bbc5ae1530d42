import { HANDSHAKE } from '../rest-client.js';
import { integersBelow, seededRandom } from '../../testing/seeded-random.js';
import type { OpenApi } from '../../testing/openapi.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- the document is read without types

/** A request made from the reference: mostly as it says, at times not. */
export interface MadeUpRequest {
  operation: string;
  /** The path as in the reference: /v1/devices/{name}/start. */
  template: string;
  method: string;
  /** With the query. */
  path: string;
  body?: unknown;
  headers: Record<string, string>;
  /** Only people may send it. */
  needsSession: boolean;
}

/** Operations that end things that the other requests need, wait for the world outside, or stream without end. */
const LEFT_OUT = ['signOut', 'uploadApk', 'putLibraryApp', 'checkProxy', 'watchEvents', 'followLogs'];

/** Values that would only make a run long. */
const SHORT: Record<string, unknown> = { wait_s: 0, timeout_ms: 200, settle_ms: 0, duration_ms: 20, ms: 1 };

/** Makes requests from the reference, the same ones for the same seed. `device` and `idsSeen` let them get somewhere. */
export class RequestMaker {
  readonly #document: Json;
  readonly #random: (below: number) => number;
  readonly #device: string;
  readonly #idsSeen: readonly string[];
  readonly #leftOut: readonly string[];

  constructor(
    { document }: OpenApi,
    options: { seed: number; device: string; idsSeen: readonly string[]; leftOut?: readonly string[] },
  ) {
    this.#document = document;
    this.#random = integersBelow(seededRandom(options.seed));
    this.#device = options.device;
    this.#idsSeen = options.idsSeen;
    this.#leftOut = options.leftOut ?? LEFT_OUT;
  }

  next(): MadeUpRequest {
    const operations = Object.entries(this.#document['paths'] as Record<string, Record<string, Json>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const { path, method, operation } = this.#pick(
      operations.filter(({ operation: of }) => !this.#leftOut.includes(of['operationId'])),
    );
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let filled = path;
    for (const parameter of (operation['parameters'] ?? []) as Json[]) {
      const {
        name,
        in: place,
        required,
        schema,
      } = parameter as { name: string; in: string; required: boolean; schema: Json };
      if (place === 'path') {
        filled = filled.replace(`{${name}}`, encodeURIComponent(this.#pathValue(name, method)));
      } else if (required || this.#random(3) === 0) {
        const value = textOf(this.#value(schema, name, 0));
        if (place === 'query') query.set(name, value);
        // A header that fetch itself would refuse cannot be sent.
        else if (/^[ -~]+$/.test(value)) headers[name] = value;
      }
    }
    // Without a handshake the service reads nothing of a request for a WebSocket.
    if (operation['responses']['101'] !== undefined) Object.assign(headers, HANDSHAKE);
    if (this.#random(25) === 0) query.set(this.#pick(['x', '__proto__', 'limit ', 'é']), '1');
    const content = operation['requestBody']?.content?.['application/json'] as Json | undefined;
    const security = operation['security'] as Json[];
    return {
      operation: operation['operationId'],
      template: path,
      method: method.toUpperCase(),
      path: filled + (query.size > 0 ? `?${query.toString()}` : ''),
      headers,
      ...(content !== undefined && { body: this.#body(content) }),
      needsSession: security.length > 0 && !security.some((way) => 'apiKey' in way),
    };
  }

  #body(content: Json): unknown {
    const chance = this.#random(10);
    if (chance === 0) return this.#pick<unknown>([[], 'text', 0, '{"a":', { '': 1 }]);
    // The example goes through; with a made-up part it tests the code after the first checks.
    const example = content['example'] as Json | undefined;
    if (chance < 4 && example !== undefined) return example;
    return this.#value(content['schema'], 'body', 0);
  }

  #pathValue(name: string, method: string): string {
    const known = name === 'name' ? this.#device : this.#pick([...this.#idsSeen, 'none']);
    if (method !== 'delete' && this.#random(3) > 0) return known;
    return this.#pick(['none', known.toUpperCase(), 'ä/%', '__proto__', 'x'.repeat(200), '0']);
  }

  #value(given: Json, name: string, depth: number): unknown {
    const schema = this.#resolve(given);
    if (this.#random(25) === 0)
      return this.#pick<unknown>([null, -1, 1e30, '', true, [], {}, 'x'.repeat(3000), '\u0000', '💥']);
    if (name in SHORT) return SHORT[name];
    if (schema['enum'] !== undefined) return this.#pick(schema['enum'] as unknown[]);
    const type = schema['type'] as string | undefined;
    if (type === 'object') return this.#object(schema, depth);
    if (type === 'array') {
      const least = Number(schema['minItems'] ?? 0);
      return Array.from({ length: least + this.#random(3) }, () =>
        this.#value(schema['items'] as Json, name, depth + 1),
      );
    }
    if (type === 'boolean') return this.#random(2) === 0;
    if (type === 'integer' || type === 'number') return this.#number(schema);
    return this.#text(schema, name);
  }

  #object(schema: Json, depth: number): Json {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
    const required = (schema['required'] ?? []) as string[];
    const choices = ((schema['oneOf'] ?? []) as { required: string[] }[]).map((choice) => choice.required[0] ?? '');
    const chosen = choices.length > 0 ? this.#pick(choices) : undefined;
    const shown = properties.filter(([name]) => {
      if (choices.includes(name)) return name === chosen || this.#random(30) === 0;
      return required.includes(name) ? this.#random(40) > 0 : depth < 4 && this.#random(3) === 0;
    });
    const made = Object.fromEntries(shown.map(([name, of]) => [name, this.#value(of, name, depth + 1)]));
    return this.#random(40) === 0 ? { ...made, unknown: 1 } : made;
  }

  #number(schema: Json): number {
    const least = Number(schema['minimum'] ?? 0);
    const most = Number(schema['maximum'] ?? 2_000);
    return this.#pick([
      least,
      most,
      least - 1,
      most + 1,
      least + this.#random(Math.max(1, Math.min(most - least, 1_000))),
    ]);
  }

  #text(schema: Json, name: string): string {
    if (name === 'name' || name === 'device' || name === 'devices')
      return this.#pick([this.#device, 'none', 'made-up']);
    if (name.endsWith('id')) return this.#pick([...this.#idsSeen, 'none']);
    const samples = [
      'a',
      'Notes',
      'postcards',
      'us',
      'minute',
      'Europe/Berlin',
      '07:30',
      '2026-11-01',
      '127.0.0.1',
      'home',
      'e1',
      '20.00',
    ];
    return this.#pick([
      ...samples,
      ...((schema['examples'] ?? []) as string[]),
      'x'.repeat(Number(schema['maxLength'] ?? 10) + 1),
    ]);
  }

  #resolve(schema: Json): Json {
    const reference = schema['$ref'] as string | undefined;
    if (reference === undefined) return schema;
    return this.#document['components'].schemas[reference.split('/').at(-1) ?? ''] as Json;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random(items.length)] as T;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
