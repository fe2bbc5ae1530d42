import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import { shownText } from '../api/error-words.ts';
import forms from '../parts/forms.module.css';

/** Sends a test event to a key's webhook; the result is in the log. `name`: the name of the key, where there are several such buttons. */
export function TestDelivery({ keyId, name }: { keyId: string; name?: string }) {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => take(api.POST('/v1/webhooks/test', { body: { key_id: keyId } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  return (
    <div>
      <Button
        variant="default"
        {...(name !== undefined && { size: 'compact-sm', 'aria-label': `Send a test to ${name}` })}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send a test
      </Button>
      {test.error !== null && (
        <p role="alert" className={forms.bad}>
          {shownText(test.error)}
        </p>
      )}
    </div>
  );
}
