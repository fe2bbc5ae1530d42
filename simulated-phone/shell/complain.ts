import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { asBuffer } from '../streams/pipe.js';
import type { Streams } from './redirect.js';

/** Prints on standard error and returns `status`, also when standard error is closed. */
export async function complain(streams: Streams, text: string, status: number): Promise<number> {
  try {
    await streams.stderr.write(asBuffer(text));
  } catch (error) {
    if (!(error instanceof BrokenPipe)) throw error;
  }
  return status;
}
