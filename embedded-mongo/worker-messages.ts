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
      /** The process that holds the lock of the folder. Undefined: the start failed for another reason. */
      readonly owner: string | undefined;
    }
  | { readonly kind: 'unhandled_rejection'; readonly name: string; readonly message: string; readonly stack?: string }
  | {
      readonly kind: 'log';
      readonly level: 'warn' | 'error';
      readonly fields: Readonly<Record<string, unknown>>;
      readonly message: string;
    };

/** The only message to the worker. It closes the database and then ends. */
export type ToWorker = 'close';
