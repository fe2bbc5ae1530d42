import { Button, CloseButton, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import Upload from 'lucide-react/icons/upload';
import { type DragEvent, useState } from 'react';
import { sendFile } from '../../../api/send-file.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import classes from '../phone.module.css';
import { contentUrl } from './files-query.ts';

interface FileUpload {
  file: string;
  /** 0 to 1. */
  done: number;
  error?: Error;
}

/** Uploads files into a directory of a phone, one after the other. Each that fails stays in sight with its error. */
export function FileUploads({ name, path }: { name: string; path: string }) {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly FileUpload[]>([]);
  const [isOver, setIsOver] = useState(false);
  const isUploading = uploads.some(({ error }) => error === undefined);

  const change = (file: string, changed: Partial<FileUpload> | undefined): void =>
    setUploads((old) =>
      old.flatMap((one) => (one.file !== file ? [one] : changed === undefined ? [] : [{ ...one, ...changed }])),
    );
  const send = async (files: readonly File[]): Promise<void> => {
    const named = files.map((file) => ({ file: file.name, done: 0 }));
    setUploads((old) => [...old.filter(({ file }) => !named.some((one) => one.file === file)), ...named]);
    for (const file of files) {
      try {
        await sendFile({
          method: 'PUT',
          url: contentUrl(name, `${path}/${file.name}`),
          contentType: 'application/octet-stream',
          file,
          onProgress: (done) => change(file.name, { done }),
        });
        change(file.name, undefined);
      } catch (thrown) {
        change(file.name, { error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
      }
      await client.invalidateQueries({ queryKey: ['devices', name, 'files', path] });
    }
  };
  // Not the page's own drop, which installs APKs.
  const taken = (event: DragEvent): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Stack gap="sm">
      <div
        className={classes.drop}
        data-over={isOver}
        data-drop="files"
        onDragOver={(event) => {
          taken(event);
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          taken(event);
          setIsOver(false);
          if (!isUploading) void send([...event.dataTransfer.files]);
        }}
      >
        <Upload size={22} aria-hidden />
        <span>Drop files here to put them into {path}</span>
        <FileButton multiple onChange={(files) => void send(files)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm" loading={isUploading}>
              Choose files
            </Button>
          )}
        </FileButton>
      </div>
      <Stack gap="xs" role="status" aria-label="Uploads of files">
        {uploads.map(({ file, done, error }) => (
          <div key={file}>
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" truncate>
                {error === undefined ? `Uploading ${file}` : `${file} was not uploaded`}
              </Text>
              {error !== undefined && (
                <CloseButton size="sm" aria-label={`Dismiss: ${file}`} onClick={() => change(file, undefined)} />
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
