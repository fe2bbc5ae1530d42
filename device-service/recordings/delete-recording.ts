import type { RecordingDocument } from '../store/recordings.js';
import type { RecordingsContext } from './recordings-context.js';

/**
 * Deletes a recording of this host. It is marked first, which ends it where it goes on; its files go next, and its document last. After a
 * crash in between, the sweep goes on.
 */
export async function deleteRecording(context: RecordingsContext, { _id }: RecordingDocument): Promise<void> {
  const { recordings, recorders } = context;
  await recordings.beginDelete(_id);
  await recorders.stop(_id);
  await removeRecording(context, _id);
}

/** Removes the files of a recording that is marked for deletion, and its document. */
export async function removeRecording(
  { recordings, files }: Pick<RecordingsContext, 'recordings' | 'files'>,
  id: string,
): Promise<void> {
  await files.remove(id);
  await recordings.forget(id);
}
