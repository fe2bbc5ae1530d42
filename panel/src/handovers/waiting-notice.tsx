import { useEffect, useRef } from 'react';
import { setWaitingCount } from '../parts/window-title.ts';
import type { Handover } from './handover-requests.ts';
import { useOpenHandovers, useWatchedHandovers } from './handovers-query.ts';
import { playTone, useAllowedTone } from './tone.ts';
import { useToneSwitch } from './tone-switch.tsx';

const NONE: readonly Handover[] = [];

/** Returns how many phones wait for a person. */
export function useWaitingCount(): number {
  return (useOpenHandovers() ?? NONE).filter(({ state }) => state === 'waiting').length;
}

/** Makes a new hand-over noticed on every page: by the title of the window, a tone, and words for screen readers. */
export function WaitingNotice() {
  const open = useWatchedHandovers();
  const known = useRef<ReadonlySet<string>>(undefined);
  const [isOn] = useToneSwitch();
  const waiting = (open ?? NONE).filter(({ state }) => state === 'waiting');
  const count = waiting.length;
  useAllowedTone(isOn);
  useEffect(() => {
    setWaitingCount(count);
    return () => setWaitingCount(0);
  }, [count]);
  useEffect(() => {
    if (open === undefined) return;
    const before = known.current;
    known.current = new Set(open.map(({ id }) => id));
    // What has begun before the panel was opened is shown without a tone.
    if (isOn && before !== undefined && open.some(({ id, state }) => state === 'waiting' && !before.has(id)))
      playTone();
  }, [open, isOn]);
  const newest = waiting.toSorted((a, b) => b.begun_at.localeCompare(a.begun_at))[0];
  return (
    <div className="visually-hidden" role="status" aria-label="Hand-overs">
      {newest && `${newest.device} needs a person: ${newest.reason}`}
    </div>
  );
}
