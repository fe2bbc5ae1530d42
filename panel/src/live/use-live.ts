import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { WatchedPhone, type LiveStatus } from './watched-phone.ts';

/** A live screen and its state. */
export interface Live extends LiveStatus {
  phone: WatchedPhone;
}

/**
 * Watches a phone while the component is mounted. `shareToken` is the token of the share with which the phone is watched. The component
 * needs the phone's name as its React key, because a WatchedPhone serves one name only.
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
        // Frames come many times a second, and mostly do not change the status.
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
