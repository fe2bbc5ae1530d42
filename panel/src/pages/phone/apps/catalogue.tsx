import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { catalogueQuery } from '../../../api/offers.ts';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import classes from './apps.module.css';

type CatalogueApp = Schemas['CatalogueApp'];

/** The apps on offer. Renders nothing when there are none. */
export function Catalogue({
  device: { name, job },
  installed,
}: {
  device: Device;
  installed: readonly { package: string; version: string }[];
}) {
  const { follow } = useJobs();
  const { data: apps, error } = useQuery(catalogueQuery);
  const install = useMutation({
    mutationFn: ({ app }: CatalogueApp) =>
      take(api.POST('/v1/devices/{name}/apps', { params: { path: { name } }, body: { app } })),
    onSuccess: ({ job: started }, app) => void follow(started, `Installing ${app.name}`),
  });
  if (error === null && (apps === undefined || apps.length === 0)) return null;
  const has = (app: CatalogueApp): boolean =>
    installed.some((one) => one.package === app.package && one.version === app.version);
  return (
    <Card title="Catalogue" description="Apps that are ready to be installed.">
      <ErrorAlert error={error ?? install.error} />
      <DataTable
        caption="Catalogue"
        rows={apps ?? []}
        keyOf={({ app }) => app}
        columns={[
          {
            label: 'App',
            cell: ({ name: title, icon, package: id }) => (
              <span className={classes.appRow}>
                {icon !== undefined && <img src={icon} alt="" className={classes.appIcon} />}
                <span>
                  {title}
                  <Text size="xs" c="dimmed">
                    {id}
                  </Text>
                </span>
              </span>
            ),
            wraps: true,
          },
          { label: 'Version', cell: ({ version }) => version },
          {
            label: '',
            cell: (app) => (
              <Button
                size="compact-xs"
                variant="light"
                disabled={has(app) || job !== undefined}
                loading={install.isPending && install.variables.app === app.app}
                aria-label={`Install ${app.name}`}
                onClick={() => install.mutate(app)}
              >
                {has(app) ? 'Installed' : 'Install'}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  );
}
