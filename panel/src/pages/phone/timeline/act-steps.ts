import { type ActStep, gestureSteps } from './gesture-steps.ts';
import { lastingText, type SeenElements } from './seen-elements.ts';
import type { Entry } from './timeline-query.ts';

/** Members of the body of `act` that are no steps. */
const NO_STEP = ['expect', 'settle_ms', 'timeout_ms', 'observe', 'elements', 'format', 'quality', 'max_size', 'marks'];

/** Most steps of one `act`. */
const STEPS_AT_ONCE = 20;

/** Returns the steps that repeat an entry; no expectation is added to them. An entry that is not about the screen has no steps. */
export function stepsOf({ kind, request }: Entry): ActStep[] {
  switch (kind) {
    case 'act': {
      if (Array.isArray(request['steps'])) return request['steps'] as ActStep[];
      const step = Object.entries(request).filter(([name]) => name === 'expect' || !NO_STEP.includes(name));
      return step.length === 0 ? [] : [Object.fromEntries(step)];
    }
    case 'action':
      return 'find_text' in request ? [] : [request];
    case 'input':
      return gestureSteps(request['events']);
    default:
      return [];
  }
}

/**
 * Returns bodies of `act` that repeat the entries which succeeded, oldest first, with at most 20 steps each. The last step of an entry
 * expects what the screen showed then, unless it has an expectation already. So a replay stops where the screen differs, and names the
 * step. Ids of elements become words or places. A placeholder stands for text that was not kept.
 */
export function actBodies(entries: readonly Entry[], seen: SeenElements): { steps: ActStep[] }[] {
  const steps: ActStep[] = [];
  for (const entry of entries) {
    const own = stepsOf(entry).map((step) => lasting(step, entry.key, seen) as ActStep);
    const last = own.at(-1);
    const isGood = entry.outcome === 'done';
    if (isGood && last !== undefined && !('expect' in last)) Object.assign(last, expectationOf(entry));
    if (isGood) steps.push(...own);
    seen.see(entry);
  }
  return Array.from({ length: Math.ceil(steps.length / STEPS_AT_ONCE) }, (_, at) => ({
    steps: steps.slice(at * STEPS_AT_ONCE, (at + 1) * STEPS_AT_ONCE),
  }));
}

function expectationOf(entry: Entry): ActStep {
  const text = lastingText(entry);
  if (text !== undefined) return { expect: { text } };
  return entry.app === '' ? {} : { expect: { app: entry.app } };
}

function lasting(value: unknown, key: string, seen: SeenElements): unknown {
  if (Array.isArray(value)) return value.map((item) => lasting(item, key, seen));
  if (typeof value !== 'object' || value === null) return value;
  const { element, characters, ...rest } = value as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, lasting(inner, key, seen)]));
  if (typeof characters === 'number') kept['text'] = `<${characters} characters>`;
  if (typeof element !== 'string') return kept;
  const target = seen.targetOf(key, element);
  if (target === undefined) return { ...kept, element };
  // Where a step has other arguments too, its target is in the member `target`.
  const isTarget = Object.keys(kept).length === 0;
  return isTarget ? target : { ...kept, target };
}
