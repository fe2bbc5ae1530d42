import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Package from 'lucide-react/icons/package';
import { useState } from 'react';
import { api, type Schemas, take } from '../../api/client.ts';
import { libraryQuery } from '../../api/offers.ts';
import { useRight } from '../../api/use-right.ts';
import { bytes } from '../../parts/bytes.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { Moment } from '../../parts/time.tsx';
import { UploadApp } from './upload-app.tsx';

type LibraryApp = Schemas['LibraryApp'];

/** The apps of the account: uploaded once, installed on any of its phones. */
export default function LibraryPage() {
  const query = useQuery(libraryQuery);
  return (
    <>
      <PageHeader
        title="App library"
        description="Your own apps: uploaded once, installed on any of your phones and pools as my/name."
      />
      <div className={forms.fields}>
        <ForRight right="phones">
          <UploadApp />
        </ForRight>
        <Fetched query={query} what="your apps">
          {(apps) => <LibraryApps apps={apps} />}
        </Fetched>
      </div>
    </>
  );
}

function LibraryApps({ apps }: { apps: readonly LibraryApp[] }) {
  const client = useQueryClient();
  const mayChange = useRight('phones');
  const [deleting, setDeleting] = useState<LibraryApp>();
  const remove = useMutation({
    mutationFn: ({ name }: LibraryApp) => take(api.DELETE('/v1/library/apps/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      setDeleting(undefined);
      return client.invalidateQueries({ queryKey: ['library'] });
    },
  });
  return (
    <>
      <DataTable
        caption="Apps of your library"
        rows={apps}
        keyOf={({ name }) => name}
        empty={
          <EmptyState title="No apps yet" icon={Package}>
            Upload the app that you test, and install it everywhere without sending it again.
          </EmptyState>
        }
        columns={[
          {
            label: 'App',
            cell: (app) => (
              <>
                my/{app.name}
                <div className={forms.quiet}>{app.package}</div>
              </>
            ),
            wraps: true,
          },
          { label: 'Version', cell: ({ version }) => (version === '' ? '–' : version), wraps: true },
          { label: 'Size', cell: ({ size }) => bytes(size), align: 'right' },
          { label: 'Uploaded', cell: ({ uploaded_at }) => <Moment at={uploaded_at} /> },
          {
            label: 'Last installed',
            cell: ({ last_used_at }) => (last_used_at === undefined ? 'never' : <Moment at={last_used_at} />),
          },
          ...(mayChange
            ? [
                {
                  label: '',
                  cell: (app: LibraryApp) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => {
                        remove.reset();
                        setDeleting(app);
                      }}
                      aria-label={`Delete my/${app.name}`}
                    >
                      Delete
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ConfirmByName
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete my/${deleting?.name ?? 'app'}?`}
        confirmLabel="Delete app"
        onConfirm={() => deleting !== undefined && remove.mutate(deleting)}
        isPending={remove.isPending}
        error={remove.error}
      >
        It will be gone from the library. Phones that have it keep it.
      </ConfirmByName>
    </>
  );
}
