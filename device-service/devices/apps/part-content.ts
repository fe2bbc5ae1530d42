import { createReadStream } from 'node:fs';
import type { AppPart } from '../../../phone/apk/app-package.js';

/** How many bytes of a file are read and sent at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Reads a file of an app that is sent to a phone; `onSent` is called whenever the phone took a piece of it. */
export async function* contentOf({ path }: AppPart, onSent: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    yield chunk as Buffer;
    onSent((chunk as Buffer).length);
  }
}
