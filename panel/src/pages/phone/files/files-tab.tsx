import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import FolderOpen from 'lucide-react/icons/folder-open';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, type Device, take } from '../../../api/client.ts';
import { useRight } from '../../../api/use-right.ts';
import { Changing } from '../../../leases/changing.tsx';
import { holdOf } from '../../../parts/hold.ts';
import { bytes } from '../../../parts/bytes.ts';
import { Card } from '../../../parts/card.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { OlderButton } from '../../../parts/older-button.tsx';
import { TextLink } from '../../../parts/text-link.tsx';
import { Moment } from '../../../parts/time.tsx';
import { FileDrop } from './file-uploads.tsx';
import { contentUrl, type FileEntry, filesQuery, ROOTS } from './files-query.ts';

/** The files of a phone, a directory at a time. The path of the directory is in the address. */
export default function FilesTab({ device }: { device: Device }) {
  const { name } = device;
  const [params] = useSearchParams();
  const path = params.get('path') ?? ROOTS[0];
  const query = useInfiniteQuery(filesQuery(name, path));
  const first = query.data?.pages[0];
  return (
    <Card title="Files" actions={<Roots name={name} />}>
      <Stack gap="sm">
        <Path name={name} path={path} />
        {/* `!isError` would not do: a query that failed is pending again while it is repeated. */}
        {query.isSuccess && (
          <Changing device={device}>
            <FileDrop directory={path} />
          </Changing>
        )}
        <Fetched query={query} what="the files">
          {({ pages }) => <Directory device={device} path={path} entries={pages.flatMap(({ entries }) => entries)} />}
        </Fetched>
        <OlderButton query={query}>Show more files</OlderButton>
        {first?.truncated === true && (
          <p role="status">This folder has more than 10,000 files; the others are not shown.</p>
        )}
        {first !== undefined && first.unnamed > 0 && (
          <p role="status">Not shown, as their names are not UTF-8: {first.unnamed}.</p>
        )}
      </Stack>
    </Card>
  );
}

function directoryUrl(name: string, path: string): string {
  return `/phones/${name}/files?path=${encodeURIComponent(path)}`;
}

function Roots({ name }: { name: string }) {
  return (
    <Group gap="sm">
      {ROOTS.map((root) => (
        <TextLink key={root} href={directoryUrl(name, root)}>
          {root}
        </TextLink>
      ))}
    </Group>
  );
}

/** The directory's path, each part of it a link. */
function Path({ name, path }: { name: string; path: string }) {
  const root = ROOTS.find((one) => path === one || path.startsWith(`${one}/`)) ?? path;
  const below = path.slice(root.length).split('/').filter(Boolean);
  const steps = [root, ...below.map((_, index) => [root, ...below.slice(0, index + 1)].join('/'))];
  return (
    <nav aria-label="Directory">
      {steps.map((step, index) => (
        <span key={step}>
          {index > 0 && ' / '}
          {index === steps.length - 1 ? (
            <strong>{below[index - 1] ?? root}</strong>
          ) : (
            <TextLink href={directoryUrl(name, step)}>{below[index - 1] ?? root}</TextLink>
          )}
        </span>
      ))}
    </nav>
  );
}

interface DirectoryProps {
  device: Device;
  path: string;
  entries: readonly FileEntry[];
}

function Directory({ device, path, entries }: DirectoryProps) {
  const { name } = device;
  const hold = holdOf(device);
  const mayChange = useRight('phones');
  const [leaving, setLeaving] = useState<FileEntry>();
  const client = useQueryClient();
  const pathOf = (entry: FileEntry): string => `${path}/${entry.name}`;
  const remove = useMutation({
    mutationFn: (entry: FileEntry) =>
      take(
        api.DELETE('/v1/devices/{name}/files/content', {
          params: { path: { name }, query: { path: pathOf(entry) } },
        }),
      ),
    onSuccess: () => {
      setLeaving(undefined);
      return client.invalidateQueries({ queryKey: ['devices', name, 'files'] });
    },
  });
  const columns: readonly Column<FileEntry>[] = [
    {
      label: 'Name',
      cell: (entry) =>
        entry.type === 'directory' ? (
          <TextLink href={directoryUrl(name, pathOf(entry))}>{entry.name}/</TextLink>
        ) : entry.type === 'file' ? (
          <Anchor href={contentUrl(name, pathOf(entry))} download={entry.name} inherit underline="always">
            {entry.name}
          </Anchor>
        ) : (
          entry.name
        ),
      wraps: true,
    },
    {
      label: 'Size',
      cell: ({ type, size }) => (type === 'file' ? bytes(size) : type === 'directory' ? 'folder' : type),
      align: 'right',
    },
    {
      label: 'Changed',
      cell: ({ modified_at }) => (modified_at === undefined ? '' : <Moment at={modified_at} />),
    },
    ...(mayChange
      ? [
          {
            label: '',
            cell: (entry: FileEntry) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Delete ${entry.name}`}
                disabled={hold !== undefined}
                title={hold}
                onClick={() => {
                  remove.reset();
                  setLeaving(entry);
                }}
              >
                Delete…
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        caption={`Files in ${path}`}
        columns={columns}
        rows={entries}
        keyOf={(entry) => entry.name}
        empty={<EmptyState title="No files here" icon={FolderOpen} />}
      />
      <ConfirmByName
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Delete ${leaving?.name ?? 'the file'}?`}
        confirmLabel="Delete"
        onConfirm={() => leaving !== undefined && remove.mutate(leaving)}
        isPending={remove.isPending}
        error={remove.error}
      >
        {leaving?.type === 'directory'
          ? 'A folder can be deleted only while it is empty.'
          : 'It will be gone from the phone for good.'}
      </ConfirmByName>
    </>
  );
}
