import { Anchor } from '@mantine/core';
import { api, take } from '../api/client.ts';
import { type Challenge, type Proof, ProofForm } from './proof-form.tsx';
import { PublicPage } from './public-page.tsx';
import classes from './sign-in.module.css';

interface Props {
  challenge: Challenge;
  onDone: () => Promise<unknown>;
  onBack: () => void;
}

/** The second step of signing in, for people with a second factor. */
export function SecondStep({ challenge, onDone, onBack }: Props) {
  const prove = async (proof: Proof): Promise<void> => {
    await take(api.POST('/v1/session/second-factor', { body: { token: challenge.token, ...proof } }));
    await onDone();
  };
  return (
    <PublicPage
      title="One more step"
      description="Your account has a second factor."
      below={
        <p className={classes.below}>
          <Anchor component="button" type="button" size="sm" underline="always" onClick={onBack}>
            Begin again
          </Anchor>
        </p>
      }
    >
      <ProofForm challenge={challenge} prove={prove} submitLabel="Sign in" />
    </PublicPage>
  );
}
