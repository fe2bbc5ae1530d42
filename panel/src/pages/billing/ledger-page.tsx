import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import ReceiptText from 'lucide-react/icons/receipt-text';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { OlderButton } from '../../parts/older-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { LedgerDays } from './ledger-days.tsx';
import { ledgerQuery, ledgerTable } from './ledger-query.ts';

/** Every change of the balance, by day and phone, and as a file for a spreadsheet. */
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
        description="What each phone cost on each day (UTC), your credit, and the balance after it. The file has every single minute."
        actions={
          <Button
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            Save as CSV
          </Button>
        }
      />
      <div className={forms.fields}>
        <ErrorAlert error={save.error} onRetry={() => save.mutate()} />
        <Fetched query={query} what="the ledger">
          {({ pages }) => {
            const days = pages.flatMap((page) => page.days);
            return days.length === 0 ? (
              <EmptyState title="No charges or credit yet" icon={ReceiptText}>
                Your credit, and what each phone costs, is shown here day by day.
              </EmptyState>
            ) : (
              <LedgerDays days={days} />
            );
          }}
        </Fetched>
      </div>
      <OlderButton query={query}>Show older days</OlderButton>
    </>
  );
}
