import { Badge, Button, FileButton, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import AppWindow from 'lucide-react/icons/app-window';
import Upload from 'lucide-react/icons/upload';
import { useState } from 'react';
import { allOf } from '../../../api/all-of.ts';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import forms from '../../../parts/forms.module.css';
import { ACCEPTED, useApkUploads } from './apk-uploads.tsx';
import { Catalogue } from './catalogue.tsx';
import { LibraryApps } from './library-apps.tsx';

type InstalledApp = Schemas['InstalledApp'];

/** The apps of a phone: installed ones, the catalogue, and uploads. */
export default function AppsTab({ device }: { device: Device }) {
  const { name } = device;
  const { upload, isUploading, isOver } = useApkUploads();
  const installed = useQuery({
    queryKey: ['devices', name, 'apps'],
    queryFn: () => allOf('/v1/devices/{name}/apps', 'apps', { name }),
  });
  return (
    <>
      <Card title="Your own app">
        <div className={forms.drop} data-over={isOver}>
          <Upload size={22} aria-hidden />
          <span>Drop an APK or a bundle anywhere on this page</span>
          <FileButton accept={ACCEPTED} onChange={(file) => file !== null && upload(file)}>
            {(props) => (
              <Button {...props} variant="default" size="compact-sm" loading={isUploading}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </div>
      </Card>
      <LibraryApps device={device} />
      <Catalogue device={device} installed={installed.data ?? []} />
      <Card title="On this phone">
        <Fetched query={installed} what="the apps">
          {(apps) => <InstalledApps name={name} apps={apps} />}
        </Fetched>
      </Card>
    </>
  );
}

function InstalledApps({ name, apps }: { name: string; apps: readonly InstalledApp[] }) {
  const { follow } = useJobs();
  const [leaving, setLeaving] = useState<InstalledApp>();
  const open = useMutation({
    mutationFn: (app: string) =>
      take(api.POST('/v1/devices/{name}/action', { params: { path: { name } }, body: { open_app: { app } } })),
  });
  const uninstall = useMutation({
    mutationFn: ({ package: id }: InstalledApp) =>
      take(api.DELETE('/v1/devices/{name}/apps/{package}', { params: { path: { name, package: id } } })),
    onSuccess: ({ job }, app) => {
      setLeaving(undefined);
      void follow(job, `Removing ${app.name}`);
    },
  });
  const own = apps.toSorted((a, b) => Number(a.system) - Number(b.system) || a.name.localeCompare(b.name));
  return (
    <>
      <ErrorAlert error={open.error} />
      <DataTable
        caption={`Apps on ${name}`}
        rows={own}
        keyOf={(app) => app.package}
        empty={<EmptyState title="No apps" icon={AppWindow} />}
        columns={[
          {
            label: 'App',
            cell: (app) => (
              <>
                {app.name}{' '}
                {app.system && (
                  <Badge variant="default" size="xs" tt="none">
                    system
                  </Badge>
                )}
                <Text size="xs" c="dimmed">
                  {app.package}
                </Text>
              </>
            ),
            wraps: true,
          },
          { label: 'Version', cell: ({ version }) => version },
          {
            label: '',
            cell: (app) => (
              <>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Open ${app.name}`}
                  loading={open.isPending && open.variables === app.package}
                  onClick={() => open.mutate(app.package)}
                >
                  Open
                </Button>
                {!app.system && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove ${app.name}`}
                    onClick={() => setLeaving(app)}
                  >
                    Remove
                  </Button>
                )}
              </>
            ),
          },
        ]}
      />
      <ConfirmByName
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Remove ${leaving?.name ?? 'the app'}?`}
        confirmLabel="Remove app"
        onConfirm={() => leaving !== undefined && uninstall.mutate(leaving)}
        isPending={uninstall.isPending}
        error={uninstall.error}
      >
        The app and its data will be gone from {name}.
      </ConfirmByName>
    </>
  );
}
