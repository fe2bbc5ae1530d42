import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { EmptyState } from './empty-state.tsx';
import { Loading } from './loading.tsx';

/** How often code that failed to load is requested again, before the failure is shown. */
const RETRIES = 2;

interface Props<P extends object> {
  /** Name of the part, in words: "the page". */
  what: string;
  /** The id of the part, by which its code is kept. */
  id: string;
  load: () => Promise<{ default: ComponentType<P> }>;
  props: P;
  /** Whether the part is a whole page. */
  isPage?: boolean;
}

/**
 * Shows a part of the panel whose code is loaded when it is first shown. It does not use React's lazy, which keeps a failed load for ever:
 * one broken connection would leave the page broken until a reload.
 */
export function LoadedCode<P extends object>({ what, id, load, props, isPage = false }: Props<P>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['code', id],
    queryFn: async () => ({ Part: (await load()).default }),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: RETRIES,
    // The service may be reachable where the browser reports to be offline.
    networkMode: 'always',
    structuralSharing: false,
  });
  if (data !== undefined) return <data.Part {...props} />;
  if (error === null) return <Loading what={what} />;
  return (
    <EmptyState
      isPage={isPage}
      title={`The code of ${what} did not load`}
      action={
        <>
          <Button onClick={() => void refetch()}>Try again</Button>{' '}
          <Button variant="default" onClick={() => location.reload()}>
            Reload the panel
          </Button>
        </>
      }
    >
      The connection broke, or the service was updated while the panel was open. Your phones are not affected.
    </EmptyState>
  );
}
