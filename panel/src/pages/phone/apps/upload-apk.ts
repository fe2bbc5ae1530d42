import { ApiFault, type Job } from '../../../api/client.ts';

const APK = 'application/vnd.android.package-archive';

/** Uploads an APK and returns the job that installs it. Not with fetch, which does not report progress. */
export function uploadApk(name: string, file: File, onProgress: (done: number) => void): Promise<{ job: Job }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/v1/devices/${encodeURIComponent(name)}/apk`);
    request.setRequestHeader('Content-Type', APK);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status } = request;
      const body = (request.response ?? {}) as { job?: Job; error?: string; message?: string };
      if (status === 202 && body.job !== undefined) {
        resolve({ job: body.job });
        return;
      }
      const text = body.message ?? `The service responded with status ${status}. Try again in a moment.`;
      reject(
        new ApiFault(status, body.error ?? 'internal', text, request.getResponseHeader('X-Request-Id') ?? undefined),
      );
    };
    request.onerror = () => {
      reject(new ApiFault(0, 'network', `${file.name} was not uploaded: the connection broke. Try again.`, undefined));
    };
    request.send(file);
  });
}
