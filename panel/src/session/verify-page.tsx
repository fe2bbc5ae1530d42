import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, ApiFault, take } from '../api/client.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { BadLink } from './bad-link.tsx';
import { useLinkToken } from './link-token.ts';
import { PublicPage } from './public-page.tsx';

/** The page that the link of a verification mail opens. A button does it, as programs that scan mail open links too. */
export default function VerifyPage() {
  const token = useLinkToken();
  const verify = useMutation({
    mutationFn: (link: string) => take(api.POST('/v1/account/email/verification/confirm', { body: { token: link } })),
    gcTime: 0,
  });
  if (token === undefined || (verify.error instanceof ApiFault && verify.error.status === 404))
    return <BadLink isComplete={token !== undefined} again="Ask for a new one on the page of your account." />;
  if (verify.isSuccess) {
    return (
      <PublicPage title="Your address is confirmed">
        <Button component="a" href="/" fullWidth>
          Go to the panel
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="Confirm your address" description="It shows that mail of this service reaches you.">
      <ErrorAlert error={verify.error} next={null} />
      <Button onClick={() => verify.mutate(token)} loading={verify.isPending} fullWidth>
        Confirm
      </Button>
    </PublicPage>
  );
}
