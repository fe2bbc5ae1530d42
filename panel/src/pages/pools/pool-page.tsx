import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { api, take } from '../../api/client.ts';
import { plainWords } from '../../api/plain-words.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { useBilling } from '../../parts/prices.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { PoolForm } from './pool-form.tsx';
import { type PoolOffer, WithOffer } from './pool-offer.tsx';
import { PoolPhones } from './pool-phones.tsx';
import { type Pool, type PoolBody, poolQuery, putPool } from './pools-query.ts';

/** One pool: how many phones it has, what they cost, its phones, and its description to change. */
export default function PoolPage() {
  const { name } = useParams<{ name: string }>();
  const query = useQuery(poolQuery(name));
  const problem = query.data?.problem;
  return (
    <>
      <PageHeader
        title={name}
        back={{ href: '/pools', label: 'Pools' }}
        badge={query.data && <StatusBadge state={problem === undefined ? 'ok' : 'problem'} />}
      />
      <div className={`${forms.fields} ${forms.narrow}`}>
        <Fetched query={query} what="the pool">
          {(pool) => (
            <>
              <Now pool={pool} />
              <PoolPhones pool={name} />
              <ForRight right="phones">
                <WithOffer>{(offer) => <ChangePool key={name} pool={pool} offer={offer} />}</WithOffer>
              </ForRight>
            </>
          )}
        </Fetched>
      </div>
    </>
  );
}

function Now({ pool: { phones, ready, most, warm, problem } }: { pool: Pool }) {
  const isBilled = useBilling() === true;
  return (
    <Card title="Now" {...(problem !== undefined && { description: plainWords(problem.message) })}>
      <Facts
        facts={[
          ['Ready', `${phones.ready} of ${ready}`],
          ['Leased', String(phones.leased)],
          ['Starting', String(phones.starting)],
          ['At most', String(most)],
          ['Ready phones cost', isBilled ? `${warm.price_per_hour} USD an hour` : undefined],
          ['Ready minutes today', String(warm.minutes_today)],
        ]}
      />
    </Card>
  );
}

function ChangePool({ pool, offer }: { pool: Pool; offer: PoolOffer }) {
  const { name, template, model, network, plan, apps, ready, most, labels } = pool;
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsking, asking] = useDisclosure();
  const save = useMutation({
    mutationFn: (body: PoolBody) => putPool(name, body),
    onSuccess: () => client.invalidateQueries({ queryKey: ['pools'] }),
  });
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/v1/pools/{name}', { params: { path: { name } } })),
    onSuccess: async () => {
      navigate('/pools');
      for (const queryKey of [['pools'], ['devices']]) await client.invalidateQueries({ queryKey });
    },
  });
  const source = template === undefined ? `model:${model ?? ''}` : `template:${template}`;
  return (
    <>
      <PoolForm
        first={{ name, source, network, plan, apps, ready, most, labels }}
        isThere
        models={offer.models}
        exits={offer.exits}
        onSubmit={(_name, body) => save.mutate(body)}
        submitLabel="Save"
        isPending={save.isPending}
        error={save.error}
      >
        {save.isSuccess && <span role="status">Saved. The phones follow one by one.</span>}
        <Button variant="light" color="red" onClick={asking.open}>
          Delete…
        </Button>
      </PoolForm>
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title={`Delete the pool ${name}?`}
        confirmLabel="Delete pool"
        onConfirm={() => remove.mutate()}
        isPending={remove.isPending}
        error={remove.error}
      >
        Its free phones are deleted now, and leased ones when their lease ends.
      </ConfirmByName>
    </>
  );
}
