import { Button } from '@mantine/core';
import Play from 'lucide-react/icons/play';
import { Link } from 'wouter';
import type { NextStep, ShownError } from '../api/error-words.ts';
import { usePower } from './use-power.ts';

const LOOK = { size: 'compact-sm', variant: 'default' } as const;

/** Steps that lead to another page of the panel. */
const PAGES: Partial<Record<NextStep, { label: string; href: string }>> = {
  'add-credit': { label: 'Add credit', href: '/billing' },
  jobs: { label: 'See what is under way', href: '/jobs' },
  leases: { label: 'See who has which phone', href: '/leases' },
  limits: { label: 'See your limits', href: '/account' },
  phones: { label: 'Go to your phones', href: '/phones' },
};

/** Steps that leave the panel, in a tab of their own. */
const OTHER_PAGES: Partial<Record<NextStep, { label: string; href: string }>> = {
  rules: { label: 'See what is allowed', href: '/docs/guides/errors-and-limits/' },
  status: { label: 'See the status of the service', href: '/status' },
};

/** The button for the next step after an error. `shown`: absent for errors of the panel itself. */
export function NextStepButton({
  shown,
  onRetry,
}: {
  shown: ShownError | undefined;
  onRetry: (() => void) | undefined;
}) {
  // Where there is nothing to repeat here, the button that failed is beside the error. The status page then shows whether it will work.
  const next = shown?.next === 'retry' && onRetry === undefined ? 'status' : (shown?.next ?? 'retry');
  const page = PAGES[next];
  const other = OTHER_PAGES[next];
  return (
    <>
      {next === 'start' && shown?.device !== undefined && <StartButton name={shown.device} />}
      {page !== undefined && (
        <Button {...LOOK} component={Link} href={page.href}>
          {page.label}
        </Button>
      )}
      {other !== undefined && (
        <Button {...LOOK} component="a" href={other.href} target="_blank">
          {other.label}
        </Button>
      )}
      {(next === 'reload' || next === 'sign-in') && (
        <Button {...LOOK} onClick={() => location.reload()}>
          {next === 'reload' ? 'Reload the panel' : 'Sign in'}
        </Button>
      )}
      {onRetry !== undefined && (
        <Button {...LOOK} onClick={onRetry}>
          Try again
        </Button>
      )}
    </>
  );
}

function StartButton({ name }: { name: string }) {
  const power = usePower(name);
  return (
    <Button
      {...LOOK}
      leftSection={<Play size={14} aria-hidden />}
      loading={power.isPending}
      disabled={power.isSuccess}
      onClick={() => power.mutate('start')}
    >
      {power.isSuccess ? 'Starting…' : `Start ${name}`}
    </Button>
  );
}
