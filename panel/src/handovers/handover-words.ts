import { recentMoment } from '../parts/time.tsx';
import type { Handover } from './handover-requests.ts';

/** Returns how far an open hand-over is, in few words. */
export function stateWords({ state }: Pick<Handover, 'state'>): string {
  return state === 'taken' ? 'with a person' : 'needs a person';
}

/** Returns who has taken the phone and since when; undefined: nobody has. */
export function takenWords({ taken_at: at, taken_by: by }: Handover): string | undefined {
  if (at === undefined) return undefined;
  const who = by === 'share' ? 'a person with the link' : 'a person in the panel';
  return `Taken by ${who} at ${recentMoment(at)}.`;
}

/** Returns how many phones need a person. */
export function countWords(count: number): string {
  return count === 1 ? '1 phone needs a person' : `${count} phones need a person`;
}

/** How a hand-over has ended, in words; undefined: it has not. */
export function endWords({ state, device, requested_by: by }: Handover): string | undefined {
  switch (state) {
    case 'done':
      return `${device} was given back to ${by}.`;
    case 'expired':
      return `The time was over, so ${device} went back to ${by}.`;
    case 'cancelled':
      return `The hand-over of ${device} to a person was cancelled.`;
    default:
      return undefined;
  }
}
