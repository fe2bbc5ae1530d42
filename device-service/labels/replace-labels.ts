import { ApiError } from '../../kit/errors.js';
import { LABELS_MOST } from '../limits.js';
import { changedLabels } from './labels.js';

/** More callers at once than this change the labels of one thing only by mistake. */
const TRIES = 20;

/** A thing that has labels, and how it is read and written. */
export interface Labelled<T extends { labels?: string[] }> {
  /** Its name in errors, such as `"demo"`. */
  name: string;
  read: () => Promise<T>;
  /** Replaces the labels that it had when it was read. Returns false where they are others now, or it has gone. */
  replace: (read: T, labels: string[]) => Promise<boolean>;
}

/**
 * Sets and removes labels (changedLabels), and returns the thing with them. Others may change labels at the same time, so the change is
 * made to the labels that were read, or again.
 */
export async function replaceLabels<T extends { labels?: string[] }>(
  { name, read, replace }: Labelled<T>,
  change: Readonly<Record<string, string>>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await read();
    const labels = changedLabels(found.labels, change);
    if (labels.length > LABELS_MOST) {
      throw new ApiError(
        'bad_request',
        `labels: ${name} would have ${labels.length} labels; at most ${LABELS_MOST} are possible.`,
      );
    }
    if (await replace(found, labels)) return { ...found, labels };
  }
  throw new ApiError('busy', `Others change the labels of ${name} at the same time. Try again.`);
}
