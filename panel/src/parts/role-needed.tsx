import { Button } from '@mantine/core';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import { Link } from 'wouter';
import { useAccount } from '../api/account.ts';
import { ROLE_FOR, type Right } from '../api/rights.ts';
import { useRole } from '../api/use-right.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

interface Props {
  right: Right;
  /** Whether it stands in place of a whole page, and not of a part of one. */
  isPage?: boolean;
}

/** Explains, in place of what a person's role does not include, which role is needed and who can give it. */
export function RoleNeeded({ right, isPage = false }: Props) {
  const { email, member } = useAccount();
  const role = useRole();
  const asked =
    member?.email === email ? 'Ask another owner of the account.' : `Ask ${email}, or an admin of the account.`;
  return (
    <>
      {isPage && <PageHeader title="Your role does not include this" />}
      <EmptyState
        title={`This needs the role ${ROLE_FOR[right]}`}
        icon={LockKeyhole}
        action={
          <Button component={Link} href="/phones" variant="default">
            Go to your phones
          </Button>
        }
      >
        Your role in the account of {email} is {role}. {asked}
      </EmptyState>
    </>
  );
}
