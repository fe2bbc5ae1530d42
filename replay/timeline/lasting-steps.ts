import type { Entry } from './entry.js';
import { type ActStep, gestureSteps } from './gesture-steps.js';
import { lastingText, type SeenElements, showsInField } from './seen-elements.js';

/** Members of the body of `act` that are no steps. */
const NO_STEP = [
  ...['expect', 'settle_ms', 'timeout_ms', 'observe', 'elements', 'format', 'quality', 'max_size', 'marks'],
  ...['screen_on_failure', 'wait_s'],
];

/** The steps of an entry, in words that mean the same later. */
export interface LastingSteps {
  entry: Entry;
  /** A text that was not kept is `{characters}` in them, in place of `text` or `set`. */
  steps: ActStep[];
}

/** Returns the steps that repeat an entry; no expectation is added to them. An entry that is not about the screen has no steps. */
export function stepsOf({ kind, request, touched }: Entry): ActStep[] {
  switch (kind) {
    case 'act': {
      if (Array.isArray(request['steps'])) return request['steps'] as ActStep[];
      const step = Object.entries(request).filter(([name]) => name === 'expect' || !NO_STEP.includes(name));
      return step.length === 0 ? [] : [Object.fromEntries(step)];
    }
    case 'action':
      return 'find_text' in request ? [] : [request];
    case 'input':
      return gestureSteps(request['events'], touched);
    default:
      return [];
  }
}

/**
 * Returns the steps that were done, oldest first. The last step of an entry that succeeded expects what the screen showed then, unless it has
 * an expectation already. So a repetition stops where the screen differs, and names the step. Ids of elements become words or places.
 */
export function lastingSteps(entries: readonly Entry[], seen: SeenElements): LastingSteps[] {
  const found: LastingSteps[] = [];
  for (const entry of entries) {
    const isGood = entry.outcome === 'done';
    const all = stepsOf(entry).map((step) => lasting(step, entry.key, seen) as ActStep);
    const steps = isGood ? all : all.slice(0, entry.steps_done ?? 0);
    const last = steps.at(-1);
    if (isGood && last !== undefined && !('expect' in last)) Object.assign(last, expectationOf(entry, last));
    if (last !== undefined) found.push({ entry, steps });
    seen.see(entry);
  }
  return found;
}

/** Longest typed text that is expected in its field, characters. */
const MAX_TYPED_CHARS = 200;

/** Returns what the screen showed after an entry: the text that was typed, a text that is new, or the app in front. */
function expectationOf(entry: Entry, last: ActStep): ActStep {
  const { text: typed = '' } = (last['type'] ?? {}) as { text?: string };
  const isTyped = typed !== '' && typed.length <= MAX_TYPED_CHARS && !typed.includes('\n');
  if (isTyped && showsInField(entry, typed)) return { expect: { text: typed } };
  const text = lastingText(entry, wordsIn(last));
  if (text !== undefined) return { expect: { text } };
  return entry.app === '' ? {} : { expect: { app: entry.app } };
}

/** Returns the texts of a step, such as those of its target. They may show for the reason for which they were there before. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : [];
}

function lasting(value: unknown, key: string, seen: SeenElements): unknown {
  if (Array.isArray(value)) return value.map((item) => lasting(item, key, seen));
  if (typeof value !== 'object' || value === null) return value;
  const { element, ...rest } = value as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, lasting(inner, key, seen)]));
  if (typeof element !== 'string') return kept;
  const target = seen.targetOf(key, element);
  if (target === undefined) return { ...kept, element };
  // Where a step has other arguments too, its target is in the member `target`.
  const isTarget = Object.keys(kept).length === 0;
  return isTarget ? target : { ...kept, target };
}
