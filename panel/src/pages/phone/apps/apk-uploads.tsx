import { CloseButton, Group, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createContext, type DragEvent, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { useJobs } from '../../../api/jobs.tsx';
import type { Device, Job } from '../../../api/client.ts';
import { sendFile } from '../../../api/send-file.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import parts from '../../../parts/parts.module.css';
import classes from '../phone.module.css';

const APK = 'application/vnd.android.package-archive';

interface Upload {
  file: string;
  /** 0 to 1. */
  done: number;
}

interface Uploads {
  upload: (file: File) => void;
  isUploading: boolean;
  /** Whether a file is dragged over the page. */
  isOver: boolean;
}

const UploadsContext = createContext<Uploads | undefined>(undefined);

export function useApkUploads(): Uploads {
  const uploads = use(UploadsContext);
  if (uploads === undefined) throw new Error('useApkUploads needs ApkUploads');
  return uploads;
}

/** Installs the APKs that are dropped anywhere on a phone's page, one after the other, and shows their progress. */
export function ApkUploads({ device: { name, state }, children }: { device: Device; children: ReactNode }) {
  const { follow } = useJobs();
  const [upload, setUpload] = useState<Upload>();
  const [error, setError] = useState<Error | null>(null);
  const [isOver, setIsOver] = useState(false);

  const { mutateAsync: sendApk } = useMutation({
    mutationFn: (file: File) =>
      sendFile<{ job: Job }>({
        method: 'POST',
        url: `/v1/devices/${encodeURIComponent(name)}/apk`,
        contentType: APK,
        file,
        onProgress: (done) => setUpload({ file: file.name, done }),
      }),
  });
  const send = useCallback(
    async (files: readonly File[]) => {
      setError(null);
      try {
        for (const file of files) {
          setUpload({ file: file.name, done: 0 });
          const { job } = await sendApk(file);
          setUpload(undefined);
          await follow(job, `Installing ${file.name}`);
        }
      } catch (thrown) {
        setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      } finally {
        setUpload(undefined);
      }
    },
    [sendApk, follow],
  );
  const isUploading = upload !== undefined;
  const uploads = useMemo(
    () => ({ upload: (file: File) => void send([file]), isUploading, isOver }),
    [send, isUploading, isOver],
  );
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return (
    <div
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        // A part of the page that takes files for itself has prevented it already.
        setIsOver(!event.defaultPrevented);
        event.preventDefault();
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        setIsOver(false);
        if (event.defaultPrevented) return;
        event.preventDefault();
        if (state !== 'running') setError(new Error(`${name} is not running. Start it, then drop the APK again.`));
        else if (!isUploading) void send([...event.dataTransfer.files]);
      }}
    >
      <UploadsContext value={uploads}>{children}</UploadsContext>
      <div className={classes.uploads} role="status" aria-label="Uploads">
        {upload !== undefined && (
          <div className={parts.notice}>
            <Text size="sm" fw={600} mb={6} truncate>
              Uploading {upload.file}
            </Text>
            <Progress value={upload.done * 100} size="sm" aria-label={`Uploading ${upload.file}`} />
          </div>
        )}
        {error !== null && (
          <div className={parts.notice}>
            <Group justify="flex-end">
              <CloseButton size="sm" aria-label="Dismiss" onClick={() => setError(null)} />
            </Group>
            <ErrorAlert error={error} />
          </div>
        )}
      </div>
    </div>
  );
}
