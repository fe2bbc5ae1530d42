import type { ObjectShape, Shape, StringShape } from './shape.js';

const map = (
  properties: Readonly<Record<string, Shape>>,
  rest: Partial<Omit<ObjectShape, 'type' | 'properties' | 'additionalProperties'>> = {},
): ObjectShape => ({ type: 'object', properties, additionalProperties: false, ...rest });
const text = (maxLength: number, rest: Partial<StringShape> = {}): StringShape => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...rest,
});
const whole = (minimum: number, maximum: number): Shape => ({ type: 'integer', minimum, maximum });
const oneOf = (...names: string[]): NonNullable<ObjectShape['oneOf']> =>
  names.map((name) => ({ required: [name] }) as const);

const WORDS = text(1_000);
const PIXELS = whole(0, 65_535);
const FLAG: Shape = { type: 'boolean' };

/** The roles of elements, as the API has them. */
const ROLE = text(20, {
  enum: [
    ...['button', 'textfield', 'checkbox', 'switch', 'radio', 'image', 'text'],
    ...['list', 'webview', 'slider', 'combobox', 'progress', 'group'],
  ],
});
const DIRECTION = text(10, { enum: ['up', 'down', 'left', 'right'] });
const POINT = map({ x: PIXELS, y: PIXELS }, { required: ['x', 'y'] });

/** An element by its words, or a point. Ids of elements are those of one observation, so a file has none. */
const TARGET = map(
  { text: WORDS, role: ROLE, x: PIXELS, y: PIXELS },
  { oneOf: oneOf('text', 'x'), dependentRequired: { role: ['text'], x: ['y'], y: ['x'] } },
);

/** The condition that must be true after a step. */
export const EXPECT: ObjectShape = map(
  {
    text: WORDS,
    gone: WORDS,
    app: text(200),
    role: ROLE,
    state: text(20, {
      enum: ['checked', 'unchecked', 'selected', 'unselected', 'enabled', 'disabled', 'focused'],
    }),
  },
  { oneOf: oneOf('text', 'gone', 'app'), dependentRequired: { role: ['text'], state: ['text'] } },
);

/** The kinds of steps, as `POST …/act` has them. The service checks what only it can know. */
export const STEP_KINDS: Readonly<Record<string, Shape>> = {
  tap: TARGET,
  double_tap: TARGET,
  long_press: TARGET,
  type: map(
    { text: text(10_000, { minLength: 0 }), target: TARGET, clear: FLAG, submit: FLAG, secret: FLAG },
    { required: ['text'] },
  ),
  key: map(
    { name: text(40), names: { type: 'array', items: text(40), minItems: 1, maxItems: 4 }, hold_ms: whole(0, 5_000) },
    { oneOf: oneOf('name', 'names') },
  ),
  swipe: map(
    { from: POINT, to: POINT, direction: DIRECTION, duration_ms: whole(1, 10_000), target: TARGET },
    { oneOf: oneOf('from', 'direction'), dependentRequired: { from: ['to'], to: ['from'], target: ['direction'] } },
  ),
  drag: map({ from: TARGET, to: TARGET, hold_ms: whole(0, 10_000) }, { required: ['from', 'to'] }),
  pinch: map(
    { scale: { type: 'number', minimum: 0.1, maximum: 10 }, target: TARGET, center: POINT },
    { required: ['scale'] },
  ),
  scroll: map(
    { direction: DIRECTION, target: TARGET, until: map({ text: WORDS }, { required: ['text'] }) },
    { required: ['direction'] },
  ),
  open_app: map({ app: text(200) }, { required: ['app'] }),
  open_url: map({ url: text(4_000) }, { required: ['url'] }),
  clipboard: map({ set: text(10_000, { minLength: 0 }) }),
  rotate: map(
    { to: text(30, { enum: ['portrait', 'landscape', 'reverse_portrait', 'reverse_landscape', 'auto'] }) },
    { required: ['to'] },
  ),
  notifications: map({}),
  wait: map({}),
};
