import { Button, FileButton, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createContext, type DragEvent, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { useJobs } from '../../../api/jobs.tsx';
import { ApiFault, type Device, type Job } from '../../../api/client.ts';
import { holdOf } from '../../../parts/hold.ts';
import { sendFile } from '../../../api/send-file.ts';
import { useRight } from '../../../api/use-right.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import classes from './apps.module.css';

const APK = 'application/vnd.android.package-archive';
/** The types of files that a person can choose. */
export const ACCEPTED = `.apk,.apks,.xapk,.apkm,${APK}`;

interface Upload {
  file: string;
  /** The uploaded part of the file, 0 to 1. */
  done: number;
}

/** The reason why an app is not installed. */
interface Failure {
  file: string;
  error: Error;
}

interface Uploads {
  upload: (file: File) => void;
  /** The upload under way, and the last failure. */
  status: { upload: Upload | undefined; failure: Failure | undefined; dismiss: () => void };
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

/** Installs the APKs that are dropped anywhere on a phone's page, one after the other. ApkUploadStatus shows their progress. */
export function ApkUploads({ device, children }: { device: Device; children: ReactNode }) {
  const { name, state } = device;
  const mayInstall = useRight('phones');
  const hold = mayInstall ? holdOf(device) : 'Your role in this account is for looking only.';
  const { follow, dismiss } = useJobs();
  const [upload, setUpload] = useState<Upload>();
  const [failure, setFailure] = useState<Failure>();
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
      setFailure(undefined);
      for (const file of files) {
        const fail = (error: Error): void => setFailure({ file: file.name, error });
        setUpload({ file: file.name, done: 0 });
        try {
          const { job } = await sendApk(file);
          setUpload(undefined);
          const { id, error } = await follow(job, `Installing ${file.name}`);
          if (error === undefined) continue;
          // The failure is shown here, with its file, and not in the corner too.
          dismiss(id);
          fail(new ApiFault(0, error.error, error.message, undefined));
          return;
        } catch (thrown) {
          fail(thrown instanceof Error ? thrown : new Error(String(thrown)));
          return;
        } finally {
          setUpload(undefined);
        }
      }
    },
    [sendApk, follow, dismiss],
  );
  const isUploading = upload !== undefined;
  const uploads = useMemo(
    () => ({
      upload: (file: File) => void send([file]),
      status: { upload, failure, dismiss: () => setFailure(undefined) },
      isUploading,
      isOver,
    }),
    [send, upload, failure, isUploading, isOver],
  );
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return (
    <div
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        // A part of the page that takes files itself has prevented the default already.
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
        const files = [...event.dataTransfer.files];
        if (state !== 'running' || hold !== undefined) {
          const error = new Error(hold ?? `${name} is not running. Start it, then drop the file again.`);
          setFailure({ file: files[0]?.name ?? 'The app', error });
        } else if (!isUploading) void send(files);
      }}
    >
      <UploadsContext value={uploads}>{children}</UploadsContext>
    </div>
  );
}

/** Shows the upload that is under way, and the last app that could not be installed. Shows nothing when there is neither. */
export function ApkUploadStatus() {
  const { upload, failure, dismiss } = useApkUploads().status;
  const again = useApkUploads().upload;
  return (
    <div className={classes.uploads} role="status" aria-label="Uploads">
      {upload !== undefined && (
        <div className={classes.upload}>
          <Text size="sm" fw={600} mb={6} truncate>
            Uploading {upload.file}
          </Text>
          <Progress value={upload.done * 100} size="sm" aria-label={`Uploading ${upload.file}`} />
        </div>
      )}
      {failure !== undefined && (
        <ErrorAlert
          error={failure.error}
          title={`${failure.file} was not installed`}
          next={
            <>
              <FileButton accept={ACCEPTED} onChange={(file) => file !== null && again(file)}>
                {(props) => (
                  <Button {...props} size="compact-sm" variant="default">
                    Choose another file
                  </Button>
                )}
              </FileButton>
              <Button size="compact-sm" variant="subtle" onClick={dismiss}>
                Dismiss
              </Button>
            </>
          }
        />
      )}
    </div>
  );
}
