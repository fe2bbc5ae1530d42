import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import LibraryBig from 'lucide-react/icons/library-big';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, type Schemas, take } from '../../api/client.ts';
import { templatesQuery } from '../../api/offers.ts';
import { useRight } from '../../api/use-right.ts';
import { bytes } from '../../parts/bytes.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';

type Template = Schemas['Template'];

/** The templates of the account. They are made in the tab of a phone's snapshots. */
export default function TemplatesPage() {
  const query = useQuery(templatesQuery);
  return (
    <>
      <PageHeader
        title="Templates"
        description="Phones in a known state, from which new phones are made. Make one of a phone's snapshot, in its tab Snapshots."
      />
      <Fetched query={query} what="the templates">
        {(templates) => <Templates templates={templates} />}
      </Fetched>
    </>
  );
}

function Templates({ templates }: { templates: readonly Template[] }) {
  const client = useQueryClient();
  const mayChange = useRight('phones');
  const [deleting, setDeleting] = useState<Template>();
  const remove = useMutation({
    mutationFn: ({ name }: Template) => take(api.DELETE('/v1/templates/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      setDeleting(undefined);
      return client.invalidateQueries({ queryKey: ['templates'] });
    },
  });
  return (
    <>
      <DataTable
        caption="Templates"
        rows={templates}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="No templates yet"
            icon={LibraryBig}
            action={
              <Button component={Link} href="/phones">
                Go to your phones
              </Button>
            }
          >
            Sign in and set up one phone, take a snapshot, and make a template of it.
          </EmptyState>
        }
        columns={[
          { label: 'Name', cell: ({ name }) => name, wraps: true },
          { label: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
          { label: 'Model', cell: ({ model, android }) => `${model}, Android ${android}`, wraps: true },
          { label: 'Size', cell: ({ state, size }) => (state === 'ready' ? bytes(size) : '–') },
          { label: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
          ...(mayChange
            ? [
                {
                  label: '',
                  cell: (template: Template) => (
                    <>
                      {template.state === 'ready' && (
                        <Button
                          component={Link}
                          href={`/phones/new?template=${template.name}`}
                          size="compact-sm"
                          variant="default"
                          aria-label={`Create a phone from ${template.name}`}
                        >
                          Create a phone
                        </Button>
                      )}
                      <Button
                        size="compact-sm"
                        variant="default"
                        disabled={template.state === 'saving'}
                        onClick={() => {
                          remove.reset();
                          setDeleting(template);
                        }}
                        aria-label={`Delete ${template.name}`}
                      >
                        Delete
                      </Button>
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ConfirmByName
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete ${deleting?.name ?? 'the template'}?`}
        confirmLabel="Delete template"
        onConfirm={() => deleting !== undefined && remove.mutate(deleting)}
        isPending={remove.isPending}
        error={remove.error}
      >
        No new phones can be made from it. Phones that were made from it stay.
      </ConfirmByName>
    </>
  );
}
