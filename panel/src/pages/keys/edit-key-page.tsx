import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { api, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import forms from '../../parts/forms.module.css';
import { DeliveryLog } from '../../deliveries/delivery-log.tsx';
import { TestDelivery } from '../../deliveries/test-delivery.tsx';
import { changedKeyBody, draftOf, type KeyDraft } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';
import { type ApiKey, keysQuery } from './keys-query.ts';

export default function EditKeyPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery(keysQuery);
  const key = query.data?.find((one) => one.id === id);
  return (
    <>
      <PageHeader
        title={key === undefined ? 'API key' : `Key ${key.name}`}
        back={{ href: '/settings/keys', label: 'API keys' }}
      />
      <Fetched query={query} what="the key">
        {() =>
          key === undefined ? (
            <EmptyState title="There is no such key">It may have been revoked.</EmptyState>
          ) : (
            <EditKey key={id} apiKey={key} />
          )
        }
      </Fetched>
    </>
  );
}

function EditKey({ apiKey }: { apiKey: ApiKey }) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const { id, name, webhook_url: webhookUrl = '' } = apiKey;
  const { first, draft, change, renew } = useDraft(() => draftOf(apiKey));
  const at = { params: { path: { id } } };
  const reload = () => client.invalidateQueries({ queryKey: ['keys'] });
  const save = useMutation({
    mutationFn: (sent: KeyDraft) => take(api.PATCH('/v1/keys/{id}', { ...at, body: changedKeyBody(sent, first) })),
    onSuccess: ({ key }, sent) => {
      renew(draftOf(key), sent);
      return reload();
    },
  });
  const revoke = useMutation({
    mutationFn: () => take(api.DELETE('/v1/keys/{id}', at)),
    onSuccess: async () => {
      await reload();
      navigate('/settings/keys');
    },
  });
  return (
    <div className={forms.fields}>
      <KeyForm
        draft={draft}
        onChange={(part) => {
          change(part);
          save.reset();
        }}
        onSubmit={() => save.mutate(draft)}
        submitLabel="Save"
        isPending={save.isPending}
        error={save.error}
      >
        {save.isSuccess && <p role="status">Saved</p>}
        <Button variant="light" color="red" onClick={asking.open}>
          Revoke…
        </Button>
      </KeyForm>
      {webhookUrl !== '' && (
        <Card title="Deliveries" description="Those of this key, newest first." actions={<TestDelivery keyId={id} />}>
          <DeliveryLog keyId={id} />
        </Card>
      )}
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title={`Revoke ${name}?`}
        name={name}
        confirmLabel="Revoke key"
        onConfirm={() => revoke.mutate()}
        isPending={revoke.isPending}
        error={revoke.error}
      >
        Programs that use it can do nothing from now on. You cannot undo this.
      </ConfirmByName>
    </div>
  );
}
