import { PageHeader } from '../../parts/page-header.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { SecondFactors } from './second-factors.tsx';

/** How the person proves who signs in, besides the password. */
export default function SecurityPage() {
  return (
    <>
      <PageHeader
        title="Security"
        description={
          <>
            A second factor keeps others out, even those who know your password.{' '}
            <TextLink href="/settings/sessions">See where you are signed in</TextLink>, or{' '}
            <TextLink href="/account">change your password</TextLink>.
          </>
        }
      />
      <SecondFactors />
    </>
  );
}
