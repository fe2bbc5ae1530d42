import { ApiFault } from './client.ts';

interface SendFile {
  method: 'POST' | 'PUT';
  url: string;
  contentType: string;
  file: File;
  /** Is called with the sent share, 0 to 1. */
  onProgress: (done: number) => void;
}

/** Sends a file as the body of a request and returns the response's JSON. It does not use fetch, which reports no progress. */
export function sendFile<T>({ method, url, contentType, file, onProgress }: SendFile): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('Content-Type', contentType);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const { status } = request;
      const body = (request.response ?? undefined) as (T & { error?: string; message?: string }) | undefined;
      if (status < 300 && body !== undefined) {
        resolve(body);
        return;
      }
      const text = body?.message ?? `The service responded with status ${status}. Try again in a moment.`;
      const requestId = request.getResponseHeader('X-Request-Id') ?? undefined;
      reject(new ApiFault(status, body?.error ?? 'internal', text, requestId));
    };
    request.onerror = () => {
      reject(new ApiFault(0, 'network', `${file.name} was not uploaded: the connection broke. Try again.`, undefined));
    };
    request.send(file);
  });
}
