import { Button } from '@mantine/core';
import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useEffect, useState } from 'react';
import { api, take } from '../../api/client.ts';
import { hasPasskeys } from '../../api/passkeys.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { Moment } from '../../parts/time.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { AddTotp } from './add-totp.tsx';
import { CONFIRM_FACTOR, factorsQuery, KIND_WORDS, type SecondFactor } from './factors-query.ts';
import { RecoveryCodes, RecoveryCodesCard } from './recovery-codes.tsx';

interface Props {
  /** Is called with whether a second factor is being added, from the first question until the recovery codes are kept. */
  onAdding?: (isAdding: boolean) => void;
}

/** The second factors of the person: lists, adds and removes them. */
export function SecondFactors({ onAdding }: Props) {
  const client = useQueryClient();
  const query = useQuery(factorsQuery);
  const [adding, setAdding] = useState<SecondFactor['kind']>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  // A dialog that is closed too early does not stop the call, whose response still brings the codes.
  const isConfirming = useIsMutating({ mutationKey: CONFIRM_FACTOR }) > 0;
  const isAdding = adding !== undefined || isConfirming || codes.length > 0;
  useEffect(() => onAdding?.(isAdding), [onAdding, isAdding]);
  const close = (): void => setAdding(undefined);
  const onAdded = (recoveryCodes: readonly string[]): void => {
    close();
    setCodes(recoveryCodes);
    void client.invalidateQueries({ queryKey: ['second-factors'] });
    // Where the account requires a second factor, the rest of the panel is open from now on. The codes are shown first.
    if (recoveryCodes.length === 0) void client.invalidateQueries({ queryKey: ['account'] });
  };
  const onKept = (): void => {
    setCodes([]);
    void client.invalidateQueries({ queryKey: ['account'] });
  };
  if (codes.length > 0) return <RecoveryCodes codes={codes} onKept={onKept} />;
  return (
    <Fetched query={query} what="your second factors">
      {({ second_factors: factors, recovery_codes_left: left, required }) => (
        <div className={forms.fields}>
          <Card
            title="Second factors"
            description={
              required ? 'This account requires one of each member.' : 'Any one of them is asked for when you sign in.'
            }
            actions={
              <div className={forms.end}>
                {hasPasskeys() && (
                  <Button variant="default" onClick={() => setAdding('passkey')}>
                    Add a passkey
                  </Button>
                )}
                <Button onClick={() => setAdding('totp')}>Add an app</Button>
              </div>
            }
          >
            <Factors factors={factors} />
          </Card>
          {factors.length > 0 && <RecoveryCodesCard left={left} onRenewed={setCodes} />}
          <Dialog opened={adding === 'totp'} onClose={close} title="Add an app with codes">
            {adding === 'totp' && <AddTotp onAdded={onAdded} />}
          </Dialog>
          <Dialog opened={adding === 'passkey'} onClose={close} title="Add a passkey">
            {adding === 'passkey' && <AddPasskey onAdded={onAdded} />}
          </Dialog>
        </div>
      )}
    </Fetched>
  );
}

function Factors({ factors }: { factors: readonly SecondFactor[] }) {
  const client = useQueryClient();
  const [removing, setRemoving] = useState<SecondFactor>();
  const remove = useMutation({
    mutationFn: ({ id }: SecondFactor) =>
      take(api.DELETE('/v1/account/second-factors/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      setRemoving(undefined);
      for (const queryKey of [['second-factors'], ['account']]) await client.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <DataTable
        caption="Second factors"
        rows={factors}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No second factor yet" icon={ShieldCheck}>
            An app on your own phone shows a code that changes every half minute; a passkey is a key in your device.
          </EmptyState>
        }
        columns={[
          { label: 'Name', cell: ({ name }) => name, wraps: true },
          { label: 'Kind', cell: ({ kind }) => KIND_WORDS[kind] },
          { label: 'Added', cell: ({ created_at: at }) => <Moment at={at} /> },
          { label: 'Last used', cell: ({ last_used_at: at }) => (at === undefined ? 'never' : <Moment at={at} />) },
          {
            label: '',
            cell: (factor) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Remove ${factor.name}`}
                onClick={() => {
                  remove.reset();
                  setRemoving(factor);
                }}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      <ConfirmByName
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name ?? 'it'}?`}
        confirmLabel="Remove"
        onConfirm={() => removing !== undefined && remove.mutate(removing)}
        isPending={remove.isPending}
        error={remove.error}
      >
        {factors.length === 1
          ? 'It is your last one: from then on your password alone signs you in, and the recovery codes are gone.'
          : 'You cannot sign in with it any more.'}
      </ConfirmByName>
    </>
  );
}
