import type { View } from '../store/view.js';
import { cursorReply } from '../wire/cursor-reply.js';
import type { Server } from './command.js';

/** Opens a cursor over the documents that `read` finds in a view of its own, and replies with the first batch. */
export function reply(
  { store, cursors }: Server,
  namespace: string,
  read: (view: View) => Iterable<Uint8Array>,
  batchSize: number,
  single = false,
): Uint8Array {
  const view = store.view();
  let documents: Iterator<Uint8Array>;
  try {
    documents = read(view)[Symbol.iterator]();
  } catch (error) {
    view.close();
    throw error;
  }
  const close = (): void => {
    documents.return?.(); // ends the walk over LMDB's pages before the snapshot goes
    view.close();
  };
  const batch = cursors.open({ namespace, documents, close }, batchSize, single);
  return cursorReply(batch.cursorId, namespace, 'firstBatch', batch.documents);
}
