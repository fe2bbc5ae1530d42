import type { ErrorKind } from '../../../kit/errors/api-error.js';

/** Where the volumes are in the pod of a copy. */
export const PHONES = '/phones';
export const SNAPSHOTS = '/snapshots';
export const COPIES = '/copies';
/** The file that Kubernetes reads the container's termination message from. */
export const REPORT = '/report';

/** What a copy is to do, as JSON on its command line. */
export type CopyRequest =
  | { step: 'take'; phoneId: string; snapshotId: string; digest: string }
  | { step: 'check'; snapshotId: string }
  /** Keeps a snapshot a second time, on a volume of its own. */
  | { step: 'copy'; snapshotId: string; copyId: string }
  /** Completes or undoes a restore that was cut off. */
  | { step: 'finish'; phoneId: string }
  | { step: 'restore'; phoneId: string; snapshotId: string; digest: string; forgetIdentity: boolean };

/** What a copy reports at its end, as JSON in its container's termination message. */
export type CopyReport =
  | { done: true; sizeBytes?: number; checksum?: string }
  | { done: false; kind: ErrorKind | 'phone_failure' | 'unknown'; message: string };
