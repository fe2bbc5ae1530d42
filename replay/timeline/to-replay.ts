import { MAX_REPLAY_STEPS, MAX_TOOK_MS } from '../format/limits.js';
import type { Expectation, RecordedDevice, Replay, ReplayStep, Variable } from '../format/replay.js';
import { escaped } from '../format/variables.js';
import type { Entry } from './entry.js';
import type { ActStep } from './gesture-steps.js';
import { lastingSteps } from './lasting-steps.js';
import type { SeenElements } from './seen-elements.js';
import { VariableNames } from './variable-names.js';

export interface Recorded {
  replay: Replay;
  /** The entry whose picture after it shows each step's screen, by the index of the step. */
  pictured: ReadonlyMap<number, Entry>;
  /** How many steps were left out, as a replay has at most 500, or as they mean nothing later. */
  leftOut: number;
}

const BY_PLACE =
  'No words of its own were seen where the finger went down. It goes by its place, which other screens may not have.';
const CUT_URL = 'The address was kept without its query.';

/** Returns a replay of the steps that were done, oldest first. A text that was not kept becomes a secret variable. */
export function toReplay(
  entries: readonly Entry[],
  seen: SeenElements,
  { name, device }: { name: string; device: RecordedDevice },
): Recorded {
  const names = new VariableNames();
  const steps: ReplayStep[] = [];
  const pictured = new Map<number, Entry>();
  let leftOut = 0;
  for (const { entry, steps: own } of lastingSteps(entries, seen)) {
    for (const [at, step] of own.entries()) {
      // The time and the picture of an entry that failed are those of another step.
      const isLast = at === own.length - 1 && entry.outcome === 'done';
      const isBeyond = steps.length >= MAX_REPLAY_STEPS || (names.isFull && lacksText(step));
      if (isBeyond || namesElement(step)) {
        leftOut++;
        continue;
      }
      if (isLast && entry.after !== undefined) pictured.set(steps.length, entry);
      steps.push(replayStep(step, names, isLast ? tookMsOf(entry) : undefined));
    }
  }
  const variables = names.all();
  return {
    replay: {
      version: 1,
      name,
      ...(Object.keys(device).length > 0 && { device }),
      ...(Object.keys(variables).length > 0 && { variables: variables satisfies Record<string, Variable> }),
      steps,
    },
    pictured,
    leftOut,
  };
}

/** Returns how long it took until the effect of an entry was seen. For raw input that is the time after its last event. */
function tookMsOf({ duration_ms: durationMs, effect_ms: effectMs }: Entry): number {
  return Math.min(MAX_TOOK_MS, effectMs ?? durationMs);
}

function replayStep(step: ActStep, names: VariableNames, tookMs: number | undefined): ReplayStep {
  const { expect } = step;
  const rest = without(step, ['expect', 'wait_s']);
  const kind = withVariables(rest, names) as ActStep;
  const warning = goesByPlace(kind) ? BY_PLACE : isCutUrl(rest) ? CUT_URL : undefined;
  const isExpectable = expect !== undefined && !namesElement(expect);
  return {
    ...kind,
    ...(isExpectable && { expect: withVariables(expect, names) as Expectation }),
    ...(tookMs !== undefined && { took_ms: Math.round(tookMs) }),
    ...(warning !== undefined && { warning }),
  };
}

/** Puts variables in the place of texts that were not kept, and escapes the others. */
function withVariables(value: unknown, names: VariableNames, member = ''): unknown {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map((item) => withVariables(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const { characters, url, ...rest } = value as Record<string, unknown>;
  const kept = Object.fromEntries(
    Object.entries(rest).map(([name, inner]) => [name, withVariables(inner, names, name)]),
  );
  if (typeof url === 'string') kept['url'] = escaped(url.replace(/\?…$/, ''));
  if (typeof characters !== 'number') return kept;
  const isClipboard = member === 'clipboard';
  const { target } = rest as { target?: { text?: string } };
  return { ...kept, [isClipboard ? 'set' : 'text']: `\${${names.make(isClipboard ? 'clipboard' : target?.text)}}` };
}

/** Returns whether a step, or its expectation, names an element by an id, which is good for one observation alone. */
function namesElement(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesElement);
  if (typeof value !== 'object' || value === null) return false;
  const rest = without(value, ['expect']);
  return 'element' in rest || Object.values(rest).some(namesElement);
}

/** Returns whether a step has a text that was not kept. */
function lacksText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'characters' in value || Object.values(value).some(lacksText);
}

function goesByPlace(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'x' in value || Object.values(value).some(goesByPlace);
}

/** Returns whether a step opens an address whose query was left out of the timeline. */
function isCutUrl({ open_url: opened }: ActStep): boolean {
  const { url = '' } = (opened ?? {}) as { url?: string };
  return url.endsWith('?…');
}

function without(value: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
