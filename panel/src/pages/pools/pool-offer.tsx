import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { exitsQuery, modelsQuery } from '../../api/offers.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { type ExitChoice, firstExit, type NetworkOption } from '../../parts/exit-fields.tsx';
import { Loading } from '../../parts/loading.tsx';

/** What pools can be made of. */
export interface PoolOffer {
  models: readonly Schemas['Model'][];
  exits: readonly NetworkOption[];
  firstNetwork: ExitChoice;
}

/** Fetches what is on offer, and shows its children with it. */
export function WithOffer({ children }: { children: (offer: PoolOffer) => ReactNode }) {
  const { data: models, error: modelsError } = useQuery(modelsQuery);
  const { data: exits, error: exitsError } = useQuery(exitsQuery);
  const error = modelsError ?? exitsError;
  if (error !== null) return <ErrorAlert error={error} />;
  if (models === undefined || exits === undefined) return <Loading what="what is on offer" />;
  const firstNetwork = firstExit(exits);
  if (models.length === 0 || firstNetwork === undefined)
    return (
      <EmptyState title="Nothing is on offer">
        The operator of this service offers no models or no networks for now.
      </EmptyState>
    );
  return children({ models, exits, firstNetwork });
}
