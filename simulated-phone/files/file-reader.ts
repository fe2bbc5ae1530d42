import { randomFillSync } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { asPhoneFileError } from './file-error.js';
import type { ReadHandle } from './file-handles.js';
import type { VirtualNode } from './virtual-tree.js';

const READ_BYTES = 64 * 1024;

export class FileReader implements ReadHandle {
  readonly sizeBytes: number;
  readonly #handle: FileHandle;
  readonly #path: string;

  constructor(handle: FileHandle, sizeBytes: number, path: string) {
    this.#handle = handle;
    this.sizeBytes = sizeBytes;
    this.#path = path;
  }

  async read(maxBytes = READ_BYTES): Promise<Buffer | undefined> {
    try {
      const buffer = Buffer.allocUnsafe(maxBytes);
      const { bytesRead } = await this.#handle.read(buffer, 0, maxBytes);
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    } catch (error) {
      throw asPhoneFileError(error, this.#path);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Returns a reader of a device, or of a file whose content is generated when the file is opened. */
export function generatedReader<Context>(node: VirtualNode<Context>, context: Context): ReadHandle {
  if (node.kind === 'device' && node.device !== 'null') {
    const fill = node.device === 'random' ? randomFillSync : (bytes: Buffer) => bytes.fill(0);
    const read = async (maxBytes = READ_BYTES): Promise<Buffer> => {
      // A device has no end, and its bytes need no wait. Without this pause, an endless reader would block the process.
      await new Promise((resolve) => setImmediate(resolve));
      return fill(Buffer.alloc(maxBytes));
    };
    return { sizeBytes: 0, read, close: closeNothing };
  }
  let left = Buffer.from(node.kind === 'file' ? node.read(context) : '', 'utf8');
  return {
    sizeBytes: left.length,
    read: async (maxBytes = READ_BYTES) => {
      if (left.length === 0) return undefined;
      const part = left.subarray(0, maxBytes);
      left = left.subarray(part.length);
      return part;
    },
    close: closeNothing,
  };
}

async function closeNothing(): Promise<void> {
  // Nothing is held open.
}
