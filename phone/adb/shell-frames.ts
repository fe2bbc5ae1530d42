import { layout, u32, u8 } from './layout.js';

/**
 * Shell protocol v2: frames `id:u8 length:u32 bytes` inside a stream's data. A packet may end anywhere in a frame, or hold several frames.
 */
export const ShellFrame = { STDIN: 0, STDOUT: 1, STDERR: 2, EXIT: 3, CLOSE_STDIN: 4, WINDOW_SIZE: 5 } as const;

export const shellFrameHeader = layout<{ id: number; length: number }>({ id: u8, length: u32 });

/** Longest control frame (exit, close-stdin, window size) that is read; real ones have at most about 40 bytes. */
const MAX_CONTROL_BYTES = 256;

export function encodeShellFrame(id: number, bytes: Uint8Array): Buffer[] {
  return [
    shellFrameHeader.write({ id, length: bytes.length }),
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  ];
}

/**
 * Splits one direction of a shell stream into frames. Frames of standard streams (0 to 2) are returned piece by piece, so that a frame of 4
 * GiB costs no memory. Control frames are gathered whole.
 */
export class ShellFrameReader {
  readonly #header = Buffer.alloc(shellFrameHeader.sizeBytes);
  #headerFilled = 0;
  #frame: { id: number; left: number; gathered: Buffer[] } | undefined;

  /** The frames, or pieces of frames, in `chunk`. Throws MalformedShellFrame on an oversized control frame. */
  *push(chunk: Buffer): Generator<ShellPiece, void, undefined> {
    let at = 0;
    for (;;) {
      if (!this.#frame) {
        const taken = chunk.copy(this.#header, this.#headerFilled, at);
        this.#headerFilled += taken;
        at += taken;
        if (this.#headerFilled < shellFrameHeader.sizeBytes) return;
        const { id, length } = shellFrameHeader.read(this.#header);
        this.#headerFilled = 0;
        if (!isData(id) && length > MAX_CONTROL_BYTES)
          throw new MalformedShellFrame(`shell frame ${id} of ${length} bytes`);
        this.#frame = { id, left: length, gathered: [] };
      }
      const frame = this.#frame;
      const bytes = chunk.subarray(at, at + frame.left);
      at += bytes.length;
      frame.left -= bytes.length;
      if (isData(frame.id)) {
        if (bytes.length > 0) yield { id: frame.id, bytes };
      } else {
        frame.gathered.push(Buffer.from(bytes));
        if (frame.left === 0) yield { id: frame.id, bytes: Buffer.concat(frame.gathered) };
      }
      if (frame.left > 0) return;
      this.#frame = undefined;
    }
  }
}

export interface ShellPiece {
  id: number;
  bytes: Buffer;
}

export class MalformedShellFrame extends Error {
  override name = 'MalformedShellFrame';
}

/** `ROWSxCOLS,XPIXxYPIX`, with or without a NUL. Undefined when it is something else. */
export function parseWindowSize(bytes: Buffer): { rows: number; columns: number } | undefined {
  const match = /^(\d{1,5})x(\d{1,5}),\d+x\d+\0*$/.exec(bytes.toString('latin1'));
  return match ? { rows: Number(match[1]), columns: Number(match[2]) } : undefined;
}

function isData(id: number): boolean {
  return id === ShellFrame.STDIN || id === ShellFrame.STDOUT || id === ShellFrame.STDERR;
}
