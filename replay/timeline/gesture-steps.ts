import type { TouchedElement } from './entry.js';

/** A step of `act`: one action with its arguments, and perhaps an expectation of the screen afterwards. */
export type ActStep = Record<string, unknown>;

interface Touch {
  phase: 'down' | 'move' | 'up';
  x: number;
  y: number;
  pointer?: number;
}

interface InputEvent {
  touch?: Touch;
  key?: { name: string; phase?: string };
  text?: TypedText;
  wait?: { ms: number };
  at_ms?: number;
}

interface TypedText {
  text?: string;
  characters?: number;
  target?: Words;
}

type Words = Pick<TouchedElement, 'text' | 'role'>;

/** Longest movement of a finger in a tap or a long press, px. A longer movement is a swipe. */
const TAP_PX = 24;

/** Shortest time that a finger rests in a long press, ms. */
const LONG_MS = 500;

const MAX_SWIPE_MS = 10_000;

/**
 * Returns the steps of `act` that repeat raw input: taps, long presses, swipes, keys and text. Fingers other than the first are left out.
 * A tap goes to the words of the element that it hit, where they are known, and else to its place.
 */
export function gestureSteps(events: unknown, touched: readonly TouchedElement[] = []): ActStep[] {
  if (!Array.isArray(events)) return [];
  const wordsAt = new Map(touched.map(({ event, text, role }) => [event, { text, role }]));
  const steps: ActStep[] = [];
  let down: { touch: Touch; atMs: number | undefined; words: Words | undefined } | undefined;
  for (const [at, { touch, key, text, at_ms: atMs }] of (events as InputEvent[]).entries()) {
    const words = wordsAt.get(at);
    if (key !== undefined && key.phase !== 'up') steps.push({ key: { name: key.name } });
    if (text !== undefined) addText(steps, { ...text, ...(words !== undefined && { target: words }) });
    if (touch === undefined || (touch.pointer ?? 0) !== 0) continue;
    if (touch.phase === 'down') down = { touch, atMs, words };
    if (touch.phase !== 'up' || down === undefined) continue;
    const lastedMs = atMs === undefined || down.atMs === undefined ? 0 : atMs - down.atMs;
    steps.push(stepOf(down.touch, touch, lastedMs, down.words));
    down = undefined;
  }
  return steps;
}

/** Adds a text to the step before if that types text too, as keyboards send each key by itself. */
function addText(steps: ActStep[], { text = '', characters = 0, target }: TypedText): void {
  const last = steps.at(-1)?.['type'] as TypedText | undefined;
  if (last?.characters !== undefined && characters > 0) last.characters += characters;
  else if (last?.text !== undefined && text !== '') last.text += text;
  else
    steps.push({ type: { ...(characters > 0 ? { characters } : { text }), ...(target !== undefined && { target }) } });
}

function stepOf(from: Touch, to: Touch, lastedMs: number, words: Words | undefined): ActStep {
  const [start, end] = [from, to].map(({ x, y }) => ({ x, y }));
  const isMoved = Math.hypot(to.x - from.x, to.y - from.y) > TAP_PX;
  if (isMoved)
    return { swipe: { from: start, to: end, ...(lastedMs > 0 && { duration_ms: Math.min(MAX_SWIPE_MS, lastedMs) }) } };
  return lastedMs >= LONG_MS ? { long_press: words ?? start } : { tap: words ?? start };
}
