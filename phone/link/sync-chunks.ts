import { ReadableStream } from '@yume-chan/stream-extra';

/** One chunk is one sync DATA frame, which holds 64 KiB at the most. */
const SYNC_FRAME_BYTES = 64 * 1024;

/** A file as the sync protocol sends it. */
export function wholeFile(file: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= file.length) controller.close();
      else controller.enqueue(file.subarray(at, (at += SYNC_FRAME_BYTES)));
    },
  });
}
