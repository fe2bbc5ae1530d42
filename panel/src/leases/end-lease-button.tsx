import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ApiFault, take } from '../api/client.ts';
import { useRight } from '../api/use-right.ts';
import { ConfirmByName } from '../parts/confirm-by-name.tsx';
import { END_WORDS, type Lease } from './leases-query.ts';

/** Ends a lease, after a confirmation: the program that has the phone loses it in the middle of its work. */
export function EndLeaseButton({ lease: { id, device, holder, at_end: atEnd } }: { lease: Lease }) {
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const mayChange = useRight('phones');
  const end = useMutation({
    mutationFn: async () => {
      try {
        await take(api.DELETE('/v1/leases/{id}', { params: { path: { id } } }));
      } catch (error) {
        // It has ended by itself, which is what is wanted.
        if (!(error instanceof ApiFault) || error.status !== 404) throw error;
      }
    },
    onSuccess: async () => {
      asking.close();
      for (const queryKey of [['leases'], ['devices'], ['pools']]) await client.invalidateQueries({ queryKey });
    },
  });
  if (!mayChange) return null;
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={asking.open} aria-label={`End lease of ${device}`}>
        End lease
      </Button>
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title={`End the lease of ${device}?`}
        confirmLabel="End lease"
        onConfirm={() => end.mutate()}
        isPending={end.isPending}
        error={end.error}
      >
        {holder.name} loses the phone at once, whatever it is doing. {END_WORDS[atEnd]}
      </ConfirmByName>
    </>
  );
}
