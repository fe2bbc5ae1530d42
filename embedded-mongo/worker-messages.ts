/** The worker's start options. */
export interface WorkerOptions {
  readonly directory: string;
}

/** Messages of the worker. `listening` or `failed` comes first. */
export type FromWorker =
  | { readonly kind: 'listening'; readonly url: string }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** Node's error code, such as EACCES. */
      readonly code: string | undefined;
      /** The process that has the folder, when that was the failure. */
      readonly owner: string | undefined;
    }
  | {
      readonly kind: 'log';
      readonly level: 'warn' | 'error';
      readonly fields: Readonly<Record<string, unknown>>;
      readonly message: string;
    };

/** The only message to the worker: close, and end. */
export type ToWorker = 'close';
