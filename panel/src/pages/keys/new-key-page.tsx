import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import { NEW_KEY, newKeyBody } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';
import type { ApiKey } from './keys-query.ts';

/** Creates a key, and shows its text this once, as nothing keeps it. */
export default function NewKeyPage() {
  const client = useQueryClient();
  const [draft, setDraft] = useState(NEW_KEY);
  const create = useMutation({
    mutationFn: () => take(api.POST('/v1/keys', { body: newKeyBody(draft) })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
    // It holds the key's text, so it is removed with the page.
    gcTime: 0,
  });
  const back = { href: '/settings/keys', label: 'API keys' };
  if (create.data !== undefined) return <MadeKey apiKey={create.data.key} back={back} />;
  return (
    <>
      <PageHeader title="Create an API key" back={back} />
      <KeyForm
        draft={draft}
        onChange={(part) => setDraft({ ...draft, ...part })}
        onSubmit={() => create.mutate()}
        submitLabel="Create key"
        isPending={create.isPending}
        error={create.error}
      />
    </>
  );
}

function MadeKey({ apiKey, back }: { apiKey: ApiKey; back: { href: string; label: string } }) {
  const text = apiKey.key ?? '';
  return (
    <>
      <PageHeader title={`Key ${apiKey.name}`} back={back} />
      <div className={`${forms.fields} ${forms.narrow}`}>
        <Card title="Copy it now" description="It is shown only now. A lost key cannot be recovered: create a new one.">
          <CommandLine text={text} what="the key" />
        </Card>
        <Card title="A first call">
          <CommandLine
            text={`curl -H "Authorization: Bearer ${text}" ${window.location.origin}/v1/devices`}
            what="the command"
          />
        </Card>
        <div className={forms.end}>
          <Button component={Link} href={back.href}>
            I have copied it
          </Button>
        </div>
      </div>
    </>
  );
}
