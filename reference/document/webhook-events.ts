import {
  AppCrashedSchema,
  KeyExpiringSchema,
  HandoverChangedSchema,
  HealthChangedSchema,
  JobFinishedSchema,
  LeaseChangedSchema,
  RecordingFinishedSchema,
  TestEventSchema,
} from '../../proto/gen/cloudphone/webhook/v1/payload_pb.js';
import { commentOf } from './contract-text.js';
import { exampleOf } from './examples.js';
import type { Json } from './json.js';
import type { Schemas } from './schemas.js';

/** Every event, and the message that is its body. */
export const EVENTS = [
  ['job.finished', JobFinishedSchema, 'A job has ended, with success or failure, as `job.state` says.'],
  ['health.problem', HealthChangedSchema, 'A device needs attention.'],
  ['health.resolved', HealthChangedSchema, 'The problem of a device is over.'],
  ['recording.finished', RecordingFinishedSchema, 'A recording has ended, as `recording.state` says.'],
  ['lease.begun', LeaseChangedSchema, 'A caller has a device for itself from now on.'],
  ['lease.ended', LeaseChangedSchema, 'The lease of a device is over, as `reason` says.'],
  ['handover.begun', HandoverChangedSchema, 'A program asks a person to take its phone.'],
  ['handover.ended', HandoverChangedSchema, 'A person has given a phone back, or the time for it is over.'],
  ['app.crashed', AppCrashedSchema, 'An app has crashed on a phone.'],
  ['app.not_responding', AppCrashedSchema, 'An app does not respond on a phone.'],
  ['key.expiring', KeyExpiringSchema, 'An API key with a webhook stops working within a week.'],
  ['test', TestEventSchema, 'Someone called `POST /v1/webhooks/test`.'],
] as const;

/**
 * Returns the section `x-webhooks`: the requests that receivers get, and how to check that they are genuine. The reference's page shows it.
 * The section is not named `webhooks`, as generators turn entries of that name into client operations that do not compile.
 */
export function webhookEvents(schemas: Schemas): Json {
  return Object.fromEntries(
    EVENTS.map(([event, message, meaning]) => [
      event,
      {
        post: {
          operationId: `receive.${event}`.replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase()),
          tags: ['Webhook'],
          summary: `Event ${event}`,
          description: `${meaning} ${commentOf(message)}\n\n${DELIVERY}`,
          security: [],
          parameters: HEADERS.map(([name, description, example, schema]) => ({
            ...{ name, in: 'header', required: true, description },
            ...{ schema: schema ?? { type: 'string' }, example: name === 'X-Service-Event' ? event : example },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.refTo(message, 'response'),
                example: { ...exampleOf(message, 'response'), event },
              },
            },
          },
          responses: {
            '2XX': { description: 'The event was delivered. Any 2xx within 10 s is success; do the work afterwards.' },
            default: {
              description:
                'The attempt failed, redirects included. It is repeated 10 s after the first attempt and one minute after the second.',
            },
          },
        },
      },
    ]),
  );
}

const DELIVERY =
  'The signature is the hexadecimal HMAC-SHA256 of the raw body. Its secret is the lower-case hexadecimal SHA-256 of the text of the API ' +
  'key, used as ASCII. Compare in constant time.';

const HEADERS: readonly (readonly [name: string, description: string, example: unknown, schema?: Json])[] = [
  [
    'X-Service-Signature',
    'Hexadecimal HMAC-SHA256 of the raw body.',
    '74e08b571627c232b4b26c1d0271c11298ea8d9ef74b5c6ac8dd19535ad8a229',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
  ],
  ['X-Service-Event', 'The event, as in the body.', 'job.finished'],
  [
    'X-Service-Delivery',
    'One id for each event and key, the same on each attempt: drop those that you have seen.',
    'dlv_1m7x2vye5t4vyenbj210hep75',
  ],
  ['X-Service-Attempt', '1 to 3; a redelivery goes on counting.', 1, { type: 'integer', minimum: 1 }],
];
