import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import yauzl from 'yauzl';

/** One read of the list at the end of a zip file: a few thousand entries. */
const BLOCK_BYTES = 256 * 1024;
/** Pieces of an entry's content. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads a file for yauzl by blocks, and keeps the last one. yauzl requests the list of entries in pieces of tens of bytes, two for each
 * entry. A read of the file system for each piece takes ten times as long.
 */
export class BlockReader extends yauzl.RandomAccessReader {
  readonly #handle: FileHandle;
  #block: Buffer = Buffer.alloc(0);
  #blockAt = 0;

  /** The caller closes the handle, once nothing is read any more. */
  constructor(handle: FileHandle) {
    super();
    this.#handle = handle;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const from = position - this.#blockAt;
    if (from >= 0 && from + length <= this.#block.length) {
      this.#block.copy(buffer, offset, from, from + length);
      // yauzl goes on in the callback, so it must not be called within the call.
      process.nextTick(callback, null);
      return;
    }
    this.#readBlock(Math.max(length, BLOCK_BYTES), position).then(
      () => {
        if (this.#block.length < length) callback(new Error('unexpected EOF'));
        else this.read(buffer, offset, length, position, callback);
      },
      (error: unknown) => callback(error as Error),
    );
  }

  /** Reads a range in pieces. A stream made by the file handle would close the file when the stream is ended early. */
  async *#pieces(start: number, end: number): AsyncIterable<Buffer> {
    for (let at = start; at < end;) {
      const length = Math.min(PIECE_BYTES, end - at);
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(length), 0, length, at);
      if (bytesRead === 0) throw new Error('unexpected EOF');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  async #readBlock(length: number, position: number): Promise<void> {
    const block = Buffer.alloc(length);
    const { bytesRead } = await this.#handle.read(block, 0, length, position);
    this.#block = block.subarray(0, bytesRead);
    this.#blockAt = position;
  }
}
