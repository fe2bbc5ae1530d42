import { phoneCount } from '../../parts/phone-count.ts';
import { type Draft, STEP_NAMES } from '../../steps/steps.ts';

/** Returns the text that people see as a group's name. A group without a name gets one from its number of phones. */
export function groupTitle(name: string | undefined, devices: number): string {
  return name ?? `Group of ${phoneCount(devices)}`;
}

/** Most characters of a name. */
const MAX_NAME_CHARS = 100;

/**
 * Returns a name for a group that a person did not name. The name comes from the group's steps, such as "Install an app: maps, and 2 more
 * steps on 12 phones".
 */
export function nameOfSteps(drafts: readonly Draft[], devices: number): string {
  const [first, ...others] = drafts;
  const where = devices === 0 ? '' : ` on ${phoneCount(devices)}`;
  if (first === undefined) return `Nothing${where}`;
  const { kind, text } = first;
  const step = text === '' || kind === 'json' || kind === 'type' ? STEP_NAMES[kind] : `${STEP_NAMES[kind]}: ${text}`;
  const more = others.length === 0 ? '' : `, and ${others.length} more ${others.length === 1 ? 'step' : 'steps'}`;
  return `${step.slice(0, MAX_NAME_CHARS - more.length - where.length)}${more}${where}`;
}
