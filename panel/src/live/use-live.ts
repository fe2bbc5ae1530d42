import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { WatchedPhone, type LiveStatus } from './watched-phone.ts';

/** A live screen and its state. */
export interface Live extends LiveStatus {
  phone: WatchedPhone;
}

/**
 * Watches a phone while the component is there, with the token of a share where there is one. Give the component the phone's name as key:
 * a WatchedPhone is for one name.
 */
export function useLive(name: string, shareToken?: string): Live {
  const [status, setStatus] = useState<LiveStatus>({
    state: 'connecting',
    screen: undefined,
    hasFrame: false,
    format: undefined,
    error: undefined,
  });
  const client = useQueryClient();
  const [phone] = useState(
    () =>
      new WatchedPhone(
        name,
        // Frames come many times a second and mostly change nothing of this.
        (change) => setStatus((old) => (isSame(old, change) ? old : { ...old, ...change })),
        () => void client.invalidateQueries({ queryKey: [shareToken === undefined ? 'devices' : 'share'] }),
        shareToken,
      ),
  );
  useEffect(() => {
    phone.open();
    return () => phone.close();
  }, [phone]);
  return { ...status, phone };
}

function isSame(old: LiveStatus, change: Partial<LiveStatus>): boolean {
  return (Object.keys(change) as (keyof LiveStatus)[]).every((key) => old[key] === change[key]);
}
