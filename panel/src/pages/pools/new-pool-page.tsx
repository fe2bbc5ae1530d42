import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { PageHeader } from '../../parts/page-header.tsx';
import { PoolForm } from './pool-form.tsx';
import { type PoolOffer, WithOffer } from './pool-offer.tsx';
import { type PoolBody, putPool } from './pools-query.ts';

/** Creates a pool. */
export default function NewPoolPage() {
  return (
    <>
      <PageHeader
        title="Create a pool"
        back={{ href: '/pools', label: 'Pools' }}
        description="Its phones are made at once, and cost what every running phone costs."
      />
      <WithOffer>{(offer) => <NewPool offer={offer} />}</WithOffer>
    </>
  );
}

function NewPool({ offer }: { offer: PoolOffer }) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: ({ name, body }: { name: string; body: PoolBody }) => putPool(name, body),
    onSuccess: async ({ pool }) => {
      await client.invalidateQueries({ queryKey: ['pools'] });
      navigate(`/pools/${pool.name}`);
    },
  });
  const first = {
    ...{ name: '', source: `model:${offer.models[0]?.model ?? ''}`, network: offer.firstNetwork },
    ...{ plan: 'minute' as const, apps: [], ready: 1, most: 10, labels: {} },
  };
  return (
    <PoolForm
      first={first}
      isThere={false}
      models={offer.models}
      exits={offer.exits}
      onSubmit={(name, body) => create.mutate({ name, body })}
      submitLabel="Create pool"
      isPending={create.isPending}
      error={create.error}
    />
  );
}
