import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LiveSession, type LiveStatus } from './live-session.ts';

/** A live screen and its state. */
export interface Live extends LiveStatus {
  session: LiveSession;
}

/** Watches a phone while the component is there. Give the component the phone's name as key: a session is of one phone. */
export function useLive(name: string): Live {
  const [status, setStatus] = useState<LiveStatus>({
    state: 'connecting',
    screen: undefined,
    hasFrame: false,
    error: undefined,
  });
  const client = useQueryClient();
  const [session] = useState(
    () =>
      new LiveSession(
        name,
        // Frames come many times a second and mostly change nothing of this.
        (change) => setStatus((old) => (isSame(old, change) ? old : { ...old, ...change })),
        () => void client.invalidateQueries({ queryKey: ['devices'] }),
      ),
  );
  useEffect(() => {
    session.open();
    return () => session.close();
  }, [session]);
  return { ...status, session };
}

function isSame(old: LiveStatus, change: Partial<LiveStatus>): boolean {
  return (Object.keys(change) as (keyof LiveStatus)[]).every((key) => old[key] === change[key]);
}
