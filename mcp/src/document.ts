import { openapi } from './openapi.js';

/** A JSON Schema, or a part of the document that is read as one. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

/** One operation of the API. */
export interface Operation {
  operationId: string;
  /** Upper case. */
  method: string;
  /** With parameters in braces: /v1/devices/{name}/act. */
  path: string;
  summary: string;
  description: string;
  /** Whether a read-only key may call the operation. Such an operation changes nothing. */
  isRead: boolean;
  parameters: readonly Parameter[];
  /** Schema of its JSON body. Absent: it takes none. */
  body: Schema | undefined;
}

interface OpenApi {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface RawOperation extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The API, as its reference describes it. */
export class ApiDocument {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #schemas: Record<string, Schema>;

  constructor(text: string = openapi) {
    const { paths, components } = JSON.parse(text) as OpenApi;
    this.#schemas = components.schemas;
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation)),
    );
    this.#operations = new Map(all.map((operation) => [operation.operationId, operation]));
  }

  operation(id: string): Operation {
    const operation = this.#operations.get(id);
    if (operation === undefined) throw new Error(`The API has no operation ${id}.`);
    return operation;
  }

  /** Returns the name of the component that a schema refers to; undefined when the schema refers to none. */
  nameOf({ $ref }: Schema): string | undefined {
    return $ref?.split('/').at(-1);
  }

  /** The schema that a schema refers to, or the schema itself. */
  resolve(schema: Schema): Schema {
    const name = this.nameOf(schema);
    if (name === undefined) return schema;
    const component = this.#schemas[name];
    if (component === undefined) throw new Error(`The API has no schema ${name}.`);
    return component;
  }
}

function operationOf(path: string, method: string, raw: RawOperation): Operation {
  const { operationId, summary, description, parameters = [], requestBody } = raw;
  return {
    ...{ operationId, summary, description, parameters, path },
    method: method.toUpperCase(),
    // Every GET, and nothing else, is for read-only keys.
    isRead: method === 'get',
    body: requestBody?.content['application/json']?.schema,
  };
}
