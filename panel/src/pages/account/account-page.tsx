import { Progress } from '@mantine/core';
import { bytes } from '../../parts/bytes.ts';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import type { Schemas } from '../../api/client.ts';
import { emailOf, useAccount } from '../../api/account.ts';
import { AccountChoices } from './account-choices.tsx';
import { LeaveAccount } from './leave-account.tsx';
import { PasswordForm } from './password-form.tsx';
import { VerifyAddress } from './verify-address.tsx';

interface UseProps {
  quota: Schemas['Quota'];
  show: (amount: number) => string;
  what: string;
}

/** The account of the person: its password, and its quotas. */
export default function AccountPage() {
  const account = useAccount();
  const { quotas } = account;
  return (
    <>
      <PageHeader
        title="Your account"
        description={
          <>
            You are {emailOf(account)}. <TextLink href="/settings/sessions">See where you are signed in</TextLink>.
          </>
        }
      />
      <div className={`${forms.fields} ${forms.narrow}`}>
        <Card
          title="Limits"
          description="Your phones, and the room that they and their snapshots take. The operator sets the limits."
        >
          <Facts
            variant="figures"
            facts={[
              ['Phones', <Use key="phones" quota={quotas.devices} show={String} what="Phones" />],
              ['Storage', <Use key="storage" quota={quotas.storage_bytes} show={bytes} what="Storage" />],
            ]}
          />
        </Card>
        <PasswordForm />
        <VerifyAddress />
        <ForRight right="settings">
          <AccountChoices />
        </ForRight>
        <LeaveAccount />
      </div>
    </>
  );
}

/** The used part of a quota, and the quota. */
function Use({ quota: { used, most }, show, what }: UseProps) {
  return (
    <>
      {show(used)} <small className={forms.quiet}>{most === undefined ? 'no limit' : `of ${show(most)}`}</small>
      {most !== undefined && most > 0 && (
        <Progress value={Math.min(100, (used / most) * 100)} size="sm" mt={4} aria-label={`${what} in use`} />
      )}
    </>
  );
}
