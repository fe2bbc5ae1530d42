import type { DescService } from '@bufbuild/protobuf';
import type { EdgeLimits } from '../limits.js';
import type { Route } from '../routes/route.js';
import { commentOf } from './contract-text.js';
import { errorResponses, errorSchema } from './errors.js';
import { headerComponents } from './headers.js';
import { introduction } from './introduction.js';
import type { Json } from './json.js';
import { fieldsElsewhere, operationOf, tagOf } from './operation.js';
import { limitsOf } from './operation-limits.js';
import { Schemas } from './schemas.js';
import { EVENTS, webhookEvents } from './webhook-events.js';

export interface DocumentParts {
  routes: readonly Route[];
  limits: EdgeLimits;
  /** Where customers reach the edge. Absent: where the document comes from. */
  publicUrl: URL | undefined;
}

/**
 * Creates the OpenAPI document of the REST API from the routes that serve it, the rules of their messages and the comments of the
 * contract, so that it cannot differ from the service.
 */
export function createDocument({ routes, limits, publicUrl }: DocumentParts): Json {
  const responses = [...routes.map(({ rpc }) => rpc.output), ...EVENTS.map(([, message]) => message)];
  const schemas = new Schemas(responses, bodilessFields(routes));
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operation = { ...operationOf(route, schemas), 'x-limits': limitsOf(route, limits) };
    (paths[route.template] ??= {})[route.method.toLowerCase()] = operation;
  }
  const webhooks = webhookEvents(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud phones',
      version: '1.0.0',
      description: introduction(limits),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl?.origin ?? '/', description: 'This service.' }],
    tags: tagsOf(routes),
    paths,
    'x-webhooks': webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer cp_…`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'cp_session',
          description: 'The session of a person in the panel.',
        },
      },
      headers: headerComponents(),
      responses: errorResponses(),
      schemas: { ...schemas.components, Error: errorSchema() },
    },
  };
}

/** Fields of requests that are never in a body, as path or headers have them, by type. */
function bodilessFields(routes: readonly Route[]): Map<string, ReadonlySet<string>> {
  const withBody = routes.filter(({ binding }) => binding.body === '*');
  return new Map(withBody.map((route) => [route.rpc.input.typeName, fieldsElsewhere(route)]));
}

function tagsOf(routes: readonly Route[]): Json[] {
  const services = new Map<string, DescService>(routes.map((route) => [tagOf(route), route.rpc.parent]));
  return [...services].map(([name, service]) => ({ name, description: commentOf(service) }));
}
