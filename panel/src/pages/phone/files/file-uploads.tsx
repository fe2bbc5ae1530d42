import { Button, CloseButton, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import Upload from 'lucide-react/icons/upload';
import { createContext, type ReactNode, use, useState } from 'react';
import type { Device } from '../../../api/client.ts';
import { sendFile } from '../../../api/send-file.ts';
import { holdOf } from '../../../parts/hold.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import forms from '../../../parts/forms.module.css';
import { contentUrl } from './files-query.ts';

interface FileUpload {
  /** The path on the phone. */
  path: string;
  file: string;
  /** The uploaded share, 0 to 1. */
  done: number;
  error?: Error;
}

interface Uploads {
  uploads: readonly FileUpload[];
  send: (directory: string, files: readonly File[]) => void;
  dismiss: (path: string) => void;
}

const FileUploadsContext = createContext<Uploads | undefined>(undefined);

function useFileUploads(): Uploads {
  const uploads = use(FileUploadsContext);
  if (uploads === undefined) throw new Error('useFileUploads needs FileUploads');
  return uploads;
}

/**
 * Uploads files to a phone. The files of one drop go one after the other. Uploads go on while other tabs of the phone are open. Each upload
 * that fails is kept with its error until it is dismissed.
 */
export function FileUploads({ device, children }: { device: Device; children: ReactNode }) {
  const { name } = device;
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly FileUpload[]>([]);
  const dismiss = (path: string): void => setUploads((old) => old.filter((one) => one.path !== path));
  const change = (path: string, changed: Partial<FileUpload>): void =>
    setUploads((old) => old.map((one) => (one.path === path ? { ...one, ...changed } : one)));
  const { mutateAsync: sendOne } = useMutation({
    mutationFn: ({ path, file }: { path: string; file: File }) =>
      sendFile({
        method: 'PUT',
        url: contentUrl(name, path),
        contentType: 'application/octet-stream',
        file,
        onProgress: (done) => change(path, { done }),
      }),
    onSuccess: (_response, { path }) => dismiss(path),
    onError: (error, { path }) => change(path, { error }),
  });
  const send = async (directory: string, files: readonly File[]): Promise<void> => {
    // Files that are dropped on a held phone are not sent: the banner says why.
    if (holdOf(device) !== undefined) return;
    const added = files.map((file) => ({ path: `${directory}/${file.name}`, file: file.name, done: 0 }));
    setUploads((old) => [...old.filter(({ path }) => !added.some((one) => one.path === path)), ...added]);
    for (const file of files) {
      // The upload has the error by now.
      await sendOne({ path: `${directory}/${file.name}`, file }).catch(() => undefined);
      await client.invalidateQueries({ queryKey: ['devices', name, 'files', directory] });
    }
  };
  const value = { uploads, dismiss, send: (directory: string, files: readonly File[]) => void send(directory, files) };
  return <FileUploadsContext value={value}>{children}</FileUploadsContext>;
}

/** Takes files for a directory, and shows the uploads to the phone. */
export function FileDrop({ directory }: { directory: string }) {
  const { uploads, send, dismiss } = useFileUploads();
  const [isOver, setIsOver] = useState(false);
  return (
    <Stack gap="sm">
      <div
        className={forms.drop}
        data-over={isOver}
        data-drop="files"
        onDragOver={(event) => {
          // The default is prevented, so that the page's own drop, which installs APKs, does not take the files.
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          send(directory, [...event.dataTransfer.files]);
        }}
      >
        <Upload size={22} aria-hidden />
        <span>Drop files here to put them into {directory}</span>
        <FileButton multiple onChange={(files) => send(directory, files)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm">
              Choose files
            </Button>
          )}
        </FileButton>
      </div>
      <Stack gap="xs" role="status" aria-label="Uploads of files">
        {uploads.map(({ path, file, done, error }) => (
          <div key={path}>
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" truncate>
                {error === undefined ? `Uploading ${file}` : `${file} was not uploaded`}
              </Text>
              {error !== undefined && (
                <CloseButton size="sm" aria-label={`Dismiss: ${file}`} onClick={() => dismiss(path)} />
              )}
            </Group>
            {error === undefined ? (
              <Progress value={done * 100} size="sm" aria-label={`Uploading ${file}`} />
            ) : (
              <ErrorAlert error={error} />
            )}
          </div>
        ))}
      </Stack>
    </Stack>
  );
}
