import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { libraryQuery } from '../../../api/offers.ts';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';

type LibraryApp = Schemas['LibraryApp'];

/** The apps of the account's library, to install on a phone. Renders nothing while the library is empty. */
export function LibraryApps({ device: { name, job } }: { device: Device }) {
  const { follow } = useJobs();
  const { data: apps = [], error } = useQuery(libraryQuery);
  const install = useMutation({
    mutationFn: (app: LibraryApp) =>
      take(api.POST('/v1/devices/{name}/apps', { params: { path: { name } }, body: { app: `my/${app.name}` } })),
    onSuccess: ({ job: started }, app) => void follow(started, `Installing my/${app.name}`),
  });
  if (error === null && apps.length === 0) return null;
  return (
    <Card title="Your library" description="Your own apps, which are uploaded already.">
      <ErrorAlert error={error ?? install.error} />
      <DataTable
        caption="Your library"
        rows={apps}
        keyOf={(app) => app.name}
        columns={[
          {
            label: 'App',
            cell: (app) => (
              <>
                my/{app.name}
                <Text size="xs" c="dimmed">
                  {app.package}
                </Text>
              </>
            ),
            wraps: true,
          },
          { label: 'Version', cell: ({ version }) => (version === '' ? '–' : version) },
          {
            label: '',
            cell: (app) => (
              <Button
                size="compact-xs"
                variant="light"
                disabled={job !== undefined}
                loading={install.isPending && install.variables.name === app.name}
                aria-label={`Install my/${app.name}`}
                onClick={() => install.mutate(app)}
              >
                Install
              </Button>
            ),
          },
        ]}
      />
    </Card>
  );
}
