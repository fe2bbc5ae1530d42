import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import type { Schemas } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { money } from '../../parts/money.ts';
import { OlderButton } from '../../parts/older-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Moment } from '../../parts/time.tsx';
import { ledgerQuery, ledgerTable } from './ledger-query.ts';

type LedgerEntry = Schemas['LedgerEntry'];

const KINDS: Record<LedgerEntry['kind'], string> = {
  credit: 'Credit',
  minute: 'Minute',
  month: 'Month',
  refund: 'Month given back',
  reversal: 'Payment taken back',
};

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { label: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { label: 'Kind', cell: ({ kind }) => KINDS[kind] },
  { label: 'Phone', cell: ({ device = '' }) => device, wraps: true },
  { label: 'Amount (USD)', cell: ({ amount }) => money(amount), align: 'right' },
  { label: 'Balance (USD)', cell: ({ balance }) => money(balance), align: 'right' },
];

/** Every change of the balance, as a table and as a file for a spreadsheet. */
export default function LedgerPage() {
  const query = useInfiniteQuery(ledgerQuery);
  const save = useMutation({
    mutationFn: async () => saveFile(await ledgerTable(), `ledger ${new Date().toISOString().slice(0, 10)}.csv`),
  });
  return (
    <>
      <PageHeader
        title="Ledger"
        back={{ href: '/billing', label: 'Billing' }}
        description="Charges and credits, newest first, with the balance after each. The file has every one with all decimals."
        actions={
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            Save as CSV
          </Button>
        }
      />
      <div className={forms.fields}>
        <ErrorAlert error={save.error} />
        <Fetched query={query} what="the ledger">
          {({ pages }) => (
            <DataTable
              caption="Charges and credits, newest first"
              columns={COLUMNS}
              rows={pages.flatMap(({ entries }) => entries)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="No charges or credits yet">
                  Every credit and every charge of a phone is shown here.
                </EmptyState>
              }
            />
          )}
        </Fetched>
      </div>
      <OlderButton query={query}>Show older entries</OlderButton>
    </>
  );
}
