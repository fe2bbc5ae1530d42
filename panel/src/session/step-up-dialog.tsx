import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, take } from '../api/client.ts';
import { onStepUp } from '../api/step-up.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Fetched } from '../parts/fetched.tsx';
import { type Proof, ProofForm } from './proof-form.tsx';

/** Asks for a second factor when a call is refused until the person shows again who it is. */
export function StepUpDialog() {
  const [answer, setAnswer] = useState<(isConfirmed: boolean) => void>();
  useEffect(() => {
    let cancel = (): void => undefined;
    const end = onStepUp(
      () =>
        new Promise<boolean>((resolve) => {
          cancel = () => resolve(false);
          setAnswer(() => resolve);
        }),
    );
    return () => {
      end();
      // The dialog goes with the session. Calls that wait for its answer, and all later ones, would wait for good.
      cancel();
    };
  }, []);
  const close = (isConfirmed: boolean): void => {
    answer?.(isConfirmed);
    setAnswer(undefined);
  };
  return (
    <Dialog opened={answer !== undefined} onClose={() => close(false)} title="Confirm that it is you">
      {answer !== undefined && <Confirm onConfirmed={() => close(true)} />}
    </Dialog>
  );
}

function Confirm({ onConfirmed }: { onConfirmed: () => void }) {
  // An empty body asks for the challenge. Each opening of the dialog needs a new one, as each works once.
  const query = useQuery({
    queryKey: ['confirm'],
    queryFn: () => take(api.POST('/v1/session/confirm', { body: {} })),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const challenge = query.data?.challenge;
  const prove = async (proof: Proof): Promise<void> => {
    const body = 'passkey' in proof && challenge !== undefined ? { ...proof, token: challenge.token } : proof;
    await take(api.POST('/v1/session/confirm', { body }));
    onConfirmed();
  };
  return (
    <Fetched query={query} what="the question">
      {() => <ProofForm challenge={challenge} prove={prove} submitLabel="Confirm" />}
    </Fetched>
  );
}
