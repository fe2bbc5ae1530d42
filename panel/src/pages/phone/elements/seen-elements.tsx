import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { readElements } from '../../../api/phone-requests.ts';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';

type Observation = Schemas['Observation'];

interface Seen {
  /** The elements on the screen; undefined while they are not wanted, or not known yet. */
  observation: Observation | undefined;
  error: Error | null;
  /** The element at which the pointer is in the list. */
  marked: string | undefined;
  mark: (id: string | undefined) => void;
  refresh: () => void;
}

/** How often the elements are fetched, ms: a device has 120 requests a minute over all of its users. */
const POLL_MS = 2_000;

const SeenContext = createContext<Seen | undefined>(undefined);

export function useSeenElements(): Seen {
  const seen = use(SeenContext);
  if (seen === undefined) throw new Error('useSeenElements needs SeenElements');
  return seen;
}

/**
 * Provides the elements on a phone's screen, for the list and the boxes over the live screen. They are polled only while they are wanted.
 */
export function SeenElements({
  device,
  isWanted,
  children,
}: {
  device: Device;
  isWanted: boolean;
  children: ReactNode;
}) {
  const { name, state } = device;
  const [marked, mark] = useState<string>();
  const isEnabled = isWanted && state === 'running';
  const { data, error, refetch } = useQuery({
    queryKey: ['observation', name],
    queryFn: async () => (await take(readElements(api, name))).observation,
    enabled: isEnabled,
    refetchInterval: POLL_MS,
  });
  const seen = useMemo(
    () => ({ observation: isEnabled ? data : undefined, error, marked, mark, refresh: () => void refetch() }),
    [isEnabled, data, error, marked, refetch],
  );
  return <SeenContext value={seen}>{children}</SeenContext>;
}
