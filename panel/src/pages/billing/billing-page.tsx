import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { allOf } from '../../api/all-of.ts';
import { api, type Schemas, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Facts } from '../../parts/facts.tsx';
import { dollars } from '../../parts/money.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { usePrices } from '../../parts/prices.ts';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Moment } from '../../parts/time.tsx';
import { accountQuery, useAccount } from '../../api/account.ts';
import { useRight } from '../../api/use-right.ts';
import forms from '../../parts/forms.module.css';
import { TopupForm } from './topup-form.tsx';

type Topup = Schemas['Topup'];

const TONES: Record<Topup['state'], Tone> = {
  open: 'idle',
  pending: 'work',
  paid: 'good',
  failed: 'bad',
  expired: 'idle',
};

const COLUMNS: readonly Column<Topup>[] = [
  { label: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
  { label: 'State', cell: ({ state }) => <StatusBadge state={state} tone={TONES[state]} /> },
  {
    label: 'Taken back',
    cell: ({ reversed }) => (reversed === undefined ? '' : dollars(reversed)),
    align: 'right',
  },
  { label: 'Amount', cell: ({ amount }) => dollars(amount), align: 'right' },
];

/** The balance, the rest of the trial, and the credit that was bought. */
export default function BillingPage() {
  const { balance, trial } = useAccount();
  const prices = usePrices();
  const mayBuy = useRight('topups');
  // The payment page sends people back with ?topup=<id>. That proves nothing, as only the state of the top-up counts.
  const back = new URLSearchParams(useSearch()).get('topup');
  const options = useQuery({
    queryKey: ['topups', 'options'],
    queryFn: () => take(api.GET('/v1/topups/options')),
    staleTime: 60_000,
  });
  const topups = useQuery({
    queryKey: ['topups'],
    queryFn: () => allOf('/v1/topups', 'topups'),
    refetchInterval: ({ state }) => (isExpected(state.data, back) ? 2_000 : 30_000),
  });
  const account = useQuery({ ...accountQuery, refetchInterval: isExpected(topups.data, back) ? 2_000 : 15_000 });
  return (
    <>
      <PageHeader
        title="Billing"
        description={
          prices && `A phone costs ${prices.minute} USD for each begun minute, or ${prices.month} USD a month.`
        }
      />
      <div className={`${forms.fields} ${forms.narrow}`}>
        <ErrorAlert error={account.error ?? options.error ?? topups.error} />
        {back !== null && <CameBack topup={topups.data?.find(({ id }) => id === back)} />}
        <Card
          title="Balance"
          actions={
            <span className={forms.quiet}>
              <TextLink href="/billing/ledger">See every charge and credit</TextLink>
            </span>
          }
        >
          <Facts
            variant="figures"
            facts={[
              ['Credit', dollars(balance)],
              ['Trial', trialText(trial)],
            ]}
          />
        </Card>
        <Card title="Add credit">
          {options.data?.online === true && mayBuy && <TopupForm least={options.data.least} most={options.data.most} />}
          {options.data?.online === true && !mayBuy && (
            <p className={forms.quiet}>Only an owner of the account can buy credit.</p>
          )}
          {options.data?.online === false && (
            <p className={forms.quiet}>You cannot buy credit here. Ask the operator of this service to add some.</p>
          )}
        </Card>
        {topups.data !== undefined && topups.data.length > 0 && (
          <DataTable caption="Credit that you bought" columns={COLUMNS} rows={topups.data} keyOf={({ id }) => id} />
        )}
      </div>
    </>
  );
}

/** Returns the trial in words; undefined for an account that bought credit before it began one. */
function trialText({ state, minutes_left }: Schemas['Trial']): string | undefined {
  if (state === 'used') return 'Used';
  return minutes_left === 0 ? undefined : `${minutes_left} min left`;
}

/** Returns whether the payment from which somebody comes back is still open. */
function isExpected(topups: readonly Topup[] | undefined, back: string | null): boolean {
  const state = topups?.find(({ id }) => id === back)?.state;
  return state === 'open' || state === 'pending';
}

function CameBack({ topup }: { topup: Topup | undefined }) {
  if (topup === undefined) return null;
  const texts: Record<Topup['state'], string> = {
    open: `The payment of ${topup.amount} USD is not confirmed yet. This page shows it as soon as it is.`,
    pending: `The payment of ${topup.amount} USD is being processed. Some ways to pay take days.`,
    paid: `Thank you: ${topup.amount} USD were added.`,
    failed: `The payment of ${topup.amount} USD failed. Nothing was charged.`,
    expired: `The payment of ${topup.amount} USD was not made in time. Nothing was charged.`,
  };
  return (
    <div role="status">
      <StatusBadge state={topup.state} tone={TONES[topup.state]}>
        {texts[topup.state]}
      </StatusBadge>
    </div>
  );
}
