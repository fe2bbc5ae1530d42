import { MAX_FILLED_CHARS } from './limits.js';
import { ReplayFault, type ReplayStep } from './replay.js';
import { spokenStep } from './spoken-step.js';

/** The value of each variable by its name, and whether it is secret. */
export type Values = ReadonlyMap<string, { text: string; secret: boolean }>;

/** `${name}`, and `$${` for `${` itself. */
const PLACE = /\$\$\{|\$\{([^}]{0,200})\}/g;

/** The members of a step in which a secret may stand. Everywhere else it would be shown, or could not be found on the screen. */
const SECRET_PLACES: readonly string[] = ['type.text', 'clipboard.set', 'open_url.url'];

/** Returns a text in which no place of a variable is found. */
export function escaped(text: string): string {
  // A replacement text would read `$$` as one dollar.
  return text.replaceAll('${', () => '$${');
}

/** Calls `use` for each name in `${…}` of a step, with the place of the text. */
export function eachName(step: ReplayStep, use: (name: string, place: string) => void): void {
  eachText(step, '', (text, place) => {
    for (const [, name] of text.matchAll(PLACE)) if (name !== undefined) use(name, place);
  });
}

/** Returns whether a secret may stand at this place of a step. */
export function mayBeSecret(place: string): boolean {
  return SECRET_PLACES.includes(place);
}

/** Returns a step with the values in place of the variables. A text that is typed and has a secret in it becomes a secret itself. */
export function filled(step: ReplayStep, values: Values): ReplayStep {
  const isSecretTyped = { now: false };
  const fill = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return filledText(value, values, place, isSecretTyped);
    if (Array.isArray(value)) return value.map((item) => fill(item, place));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, under(place, name))]));
  };
  const done = { ...step, ...(fill(spokenStep(step), '') as ReplayStep) };
  return isSecretTyped.now ? { ...done, type: { ...(done['type'] as object), secret: true } } : done;
}

function filledText(text: string, values: Values, place: string, isSecretTyped: { now: boolean }): string {
  const result = text.replaceAll(PLACE, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = values.get(name);
    if (value === undefined) throw new ReplayFault(`${place}: there is no value for ${whole}.`);
    if (value.secret && place === 'type.text') isSecretTyped.now = true;
    return value.text;
  });
  if (result.length <= MAX_FILLED_CHARS) return result;
  throw new ReplayFault(`${place}: with its variables, the text is longer than ${MAX_FILLED_CHARS} characters.`);
}

function eachText(value: unknown, place: string, use: (text: string, place: string) => void): void {
  if (typeof value === 'string') use(value, place);
  else if (Array.isArray(value)) for (const item of value) eachText(item, place, use);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) eachText(inner, under(place, name), use);
}

function under(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}
