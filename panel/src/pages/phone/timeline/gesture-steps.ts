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
  text?: { text?: string; characters?: number };
  wait?: { ms: number };
  at_ms?: number;
}

/** Longest movement of a finger in a tap or a long press, px. A longer movement is a swipe. */
const TAP_PX = 24;

/** Shortest time that a finger rests in a long press, ms. */
const LONG_MS = 500;

/**
 * Returns the steps of `act` that repeat raw input: taps, long presses, swipes, keys and text. Fingers other than the first are left out.
 */
export function gestureSteps(events: unknown): ActStep[] {
  if (!Array.isArray(events)) return [];
  const steps: ActStep[] = [];
  let down: { touch: Touch; atMs: number | undefined } | undefined;
  for (const { touch, key, text, at_ms: atMs } of events as InputEvent[]) {
    if (key !== undefined && key.phase !== 'up') steps.push({ key: { name: key.name } });
    if (text !== undefined) addText(steps, text);
    if (touch === undefined || (touch.pointer ?? 0) !== 0) continue;
    if (touch.phase === 'down') down = { touch, atMs };
    if (touch.phase !== 'up' || down === undefined) continue;
    const lastedMs = atMs === undefined || down.atMs === undefined ? 0 : atMs - down.atMs;
    steps.push(stepOf(down.touch, touch, lastedMs));
    down = undefined;
  }
  return steps;
}

/** Adds a text to the step before if that types text too, as keyboards send each key by itself. */
function addText(steps: ActStep[], { text = '', characters = 0 }: { text?: string; characters?: number }): void {
  const last = steps.at(-1)?.['type'] as { text?: string; characters?: number } | undefined;
  if (last?.characters !== undefined && characters > 0) last.characters += characters;
  else if (last?.text !== undefined && text !== '') last.text += text;
  else steps.push({ type: characters > 0 ? { characters } : { text } });
}

function stepOf(from: Touch, to: Touch, lastedMs: number): ActStep {
  const [start, end] = [from, to].map(({ x, y }) => ({ x, y }));
  const isMoved = Math.hypot(to.x - from.x, to.y - from.y) > TAP_PX;
  if (!isMoved) return lastedMs >= LONG_MS ? { long_press: start } : { tap: start };
  return { swipe: { from: start, to: end, ...(lastedMs > 0 && { duration_ms: Math.min(10_000, lastedMs) }) } };
}
