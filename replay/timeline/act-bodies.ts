import type { Entry } from './entry.js';
import type { ActStep } from './gesture-steps.js';
import { lastingSteps } from './lasting-steps.js';
import type { SeenElements } from './seen-elements.js';

/** Most steps of one `act`. */
const MAX_STEPS_AT_ONCE = 20;

/**
 * Returns bodies of `act` that repeat the steps which were done, oldest first, with at most 20 steps each. A placeholder stands for text
 * that was not kept.
 */
export function actBodies(entries: readonly Entry[], seen: SeenElements): { steps: ActStep[] }[] {
  const steps = lastingSteps(entries, seen).flatMap((one) =>
    one.steps.map((step) => withPlaceholders(step) as ActStep),
  );
  return Array.from({ length: Math.ceil(steps.length / MAX_STEPS_AT_ONCE) }, (_, at) => ({
    steps: steps.slice(at * MAX_STEPS_AT_ONCE, (at + 1) * MAX_STEPS_AT_ONCE),
  }));
}

function withPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  const { characters, ...rest } = value as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, withPlaceholders(inner)]));
  return typeof characters === 'number' ? { ...kept, text: `<${characters} characters>` } : kept;
}
