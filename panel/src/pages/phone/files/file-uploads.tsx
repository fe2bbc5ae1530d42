import { Button, CloseButton, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import Upload from 'lucide-react/icons/upload';
import { useState } from 'react';
import { sendFile } from '../../../api/send-file.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import classes from '../phone.module.css';
import { contentUrl } from './files-query.ts';

interface FileUpload {
  /** The path on the phone. */
  path: string;
  file: string;
  /** 0 to 1. */
  done: number;
  error?: Error;
}

/** Uploads files into a directory of a phone: those of one drop one after the other. Each that fails stays in sight with its error. */
export function FileUploads({ name, directory }: { name: string; directory: string }) {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly FileUpload[]>([]);
  const [isOver, setIsOver] = useState(false);

  const change = (path: string, changed: Partial<FileUpload>): void =>
    setUploads((old) => old.map((one) => (one.path === path ? { ...one, ...changed } : one)));
  const remove = (path: string): void => setUploads((old) => old.filter((one) => one.path !== path));
  const send = async (files: readonly File[]): Promise<void> => {
    const added = files.map((file) => ({ path: `${directory}/${file.name}`, file: file.name, done: 0 }));
    setUploads((old) => [...old.filter(({ path }) => !added.some((one) => one.path === path)), ...added]);
    for (const file of files) {
      const path = `${directory}/${file.name}`;
      try {
        await sendFile({
          method: 'PUT',
          url: contentUrl(name, path),
          contentType: 'application/octet-stream',
          file,
          onProgress: (done) => change(path, { done }),
        });
        remove(path);
      } catch (thrown) {
        change(path, { error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
      }
      await client.invalidateQueries({ queryKey: ['devices', name, 'files', directory] });
    }
  };
  return (
    <Stack gap="sm">
      <div
        className={classes.drop}
        data-over={isOver}
        data-drop="files"
        onDragOver={(event) => {
          // Prevented: not for the page's own drop, which installs APKs.
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          void send([...event.dataTransfer.files]);
        }}
      >
        <Upload size={22} aria-hidden />
        <span>Drop files here to put them into {directory}</span>
        <FileButton multiple onChange={(files) => void send(files)}>
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
                <CloseButton size="sm" aria-label={`Dismiss: ${file}`} onClick={() => remove(path)} />
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
