import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import forms from '../parts/forms.module.css';

/** Sends a test event to a key's webhook; the result is in the log. */
export function TestDelivery({ keyId }: { keyId: string }) {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => take(api.POST('/v1/webhooks/test', { body: { key_id: keyId } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  return (
    <div>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      {test.error !== null && (
        <p role="alert" className={forms.bad}>
          {test.error.message}
        </p>
      )}
    </div>
  );
}
