import type { Route } from '../../gateway/routes/route.js';
import type { SlotTexts } from '../../gateway/slots.js';
import { errorResponses, errorSchema } from './errors.js';
import { headerComponents } from './headers.js';
import { introduction } from './introduction.js';
import type { Json } from './json.js';
import { fieldsElsewhere, operationOf } from './operation.js';
import { limitsOf } from './operation-limits.js';
import { Schemas } from './schemas.js';
import { tagsOf } from './tags.js';
import { EVENTS, webhookEvents } from './webhook-events.js';

export interface DocumentParts {
  routes: readonly Route[];
  /** The texts of an installation, or the slots for them. */
  texts: SlotTexts;
}

/**
 * Creates the OpenAPI document of the REST API from the routes that serve it, the rules of their messages and the comments of the
 * contract. So it cannot differ from the service.
 */
export function createDocument({ routes, texts }: DocumentParts): Json {
  const responses = [...routes.map(({ rpc }) => rpc.output), ...EVENTS.map(([, message]) => message)];
  const schemas = new Schemas(responses, bodilessFields(routes));
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operation = { ...operationOf(route, schemas), 'x-limits': limitsOf(route, texts) };
    (paths[route.template] ??= {})[route.method.toLowerCase()] = operation;
  }
  const webhooks = webhookEvents(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud phones',
      version: '1.0.0',
      description: introduction(texts),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: texts.origin, description: 'This service.' }],
    ...tagsOf(routes),
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

/** Returns, by the name of the request's type, the fields that a request has outside its body, such as in its path or headers. */
function bodilessFields(routes: readonly Route[]): Map<string, ReadonlySet<string>> {
  const withBody = routes.filter(({ binding }) => binding.body === '*');
  return new Map(withBody.map((route) => [route.rpc.input.typeName, fieldsElsewhere(route)]));
}
