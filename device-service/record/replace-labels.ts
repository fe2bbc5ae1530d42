import { ApiError } from '../../kit/errors/api-error.js';
import { MAX_LABELS } from './limits.js';
import { changedLabels } from './labels.js';

/** How often a change is tried. If more callers change the labels of one thing at the same time, it is by mistake. */
const TRIES = 20;

/** A thing that has labels, and how it is read and written. */
export interface Labelled<T extends { labels?: string[] }> {
  /** The thing's name in errors, such as `"demo"`. */
  name: string;
  read: () => Promise<T>;
  /** Replaces the labels that the thing had when it was read. Returns false where it has other labels by now, or has gone. */
  replace: (read: T, labels: string[]) => Promise<boolean>;
}

/**
 * Sets and removes labels (changedLabels), and returns the thing with them. Others may change its labels at the same time. Then the thing
 * is read again, and the change is made to the labels that it has now.
 */
export async function replaceLabels<T extends { labels?: string[] }>(
  { name, read, replace }: Labelled<T>,
  change: Readonly<Record<string, string>>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await read();
    const labels = changedLabels(found.labels, change);
    if (labels.length > MAX_LABELS) {
      throw new ApiError(
        'bad_request',
        `labels: ${name} would have ${labels.length} labels; at most ${MAX_LABELS} are possible.`,
      );
    }
    if (await replace(found, labels)) return { ...found, labels };
  }
  throw new ApiError('busy', `Others change the labels of ${name} at the same time. Try again.`);
}
