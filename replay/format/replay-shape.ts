import { MAX_REPLAY_STEPS, MAX_TOOK_MS, MAX_VALUE_CHARS, MAX_VARIABLES } from './limits.js';
import type { ObjectShape } from './shape.js';
import { EXPECT, STEP_KINDS } from './step-shapes.js';

const STEP: ObjectShape = {
  type: 'object',
  description: 'One step of POST …/act, with what was seen when it was recorded.',
  properties: {
    ...STEP_KINDS,
    expect: EXPECT,
    took_ms: {
      type: 'integer',
      description: 'How long it took until the screen showed its effect. A replay waits twice as long.',
      minimum: 0,
      maximum: MAX_TOOK_MS,
    },
    picture: {
      type: 'string',
      description: 'The screen after it, as a file beside this one.',
      minLength: 1,
      maxLength: 300,
      // Line separators are refused too, as `.` does not match them.
      pattern: '^(?!/)(?!.*(?:^|/)\\.\\.?(?:/|$))[^\\\\\\u0000-\\u001f\\u2028\\u2029:]+$',
    },
    warning: { type: 'string', description: 'Why it may not fit another phone.', minLength: 1, maxLength: 500 },
  },
  additionalProperties: false,
  oneOf: Object.keys(STEP_KINDS).map((name) => ({ required: [name] }) as const),
};

/** The shape of a replay file. docs/replay.schema.json is made from it. */
export const REPLAY_SHAPE: ObjectShape = {
  type: 'object',
  properties: {
    version: { type: 'integer', minimum: 1, maximum: 1 },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    device: {
      type: 'object',
      description:
        'The phone of the recording. Points are pixels of its upright screen, and scaled to that of another phone.',
      properties: {
        model: { type: 'string', minLength: 1, maxLength: 100 },
        android: { type: 'string', minLength: 1, maxLength: 20 },
        width: { type: 'integer', minimum: 1, maximum: 65_535 },
        height: { type: 'integer', minimum: 1, maximum: 65_535 },
      },
      additionalProperties: false,
      dependentRequired: { width: ['height'], height: ['width'] },
    },
    variables: {
      type: 'object',
      description: 'Texts of ${name} in steps. Without a default, a replay needs the value.',
      additionalProperties: {
        type: 'object',
        properties: {
          default: { type: 'string', maxLength: MAX_VALUE_CHARS },
          secret: { type: 'boolean', description: 'It is typed as a secret, and shown nowhere.' },
        },
        additionalProperties: false,
      },
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' },
      maxProperties: MAX_VARIABLES,
    },
    steps: { type: 'array', items: STEP, minItems: 1, maxItems: MAX_REPLAY_STEPS },
  },
  required: ['version', 'steps'],
  additionalProperties: false,
};
