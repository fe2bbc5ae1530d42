import { Command, type Packet } from '../../../phone/adb/packet.js';
import { encodeShellFrame, ShellFrame, ShellFrameReader } from '../../../phone/adb/shell-frames.js';

export interface ShellResult {
  /** The texts of standard output and standard error. */
  stdout: string;
  stderr: string;
  status: number;
}

/** Most bytes of output that are kept of a command. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Bytes of input in one packet. */
const PIECE_BYTES = 64 * 1024;

/** One command of a shell: a stream of ADB. Each packet of input waits for the confirmation of the one before. */
export class ShellRun {
  readonly #id: number;
  readonly #send: (packet: Packet) => void;
  readonly #frames = new ShellFrameReader();
  readonly #output: { stdout: Buffer[]; stderr: Buffer[]; bytes: number } = { stdout: [], stderr: [], bytes: 0 };
  readonly #waiting: Buffer[];
  #status: number | undefined;
  #settle: { resolve: (result: ShellResult) => void; reject: (error: Error) => void } | undefined;

  constructor(id: number, input: Buffer, send: (packet: Packet) => void) {
    this.#id = id;
    this.#send = send;
    const pieces = Array.from({ length: Math.ceil(input.length / PIECE_BYTES) }, (_, at) =>
      input.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    );
    const frames = [
      ...pieces.map((piece) => encodeShellFrame(ShellFrame.STDIN, piece)),
      encodeShellFrame(ShellFrame.CLOSE_STDIN, new Uint8Array()),
    ];
    this.#waiting = frames.map((frame) => Buffer.concat(frame));
  }

  start(command: string): Promise<ShellResult> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      const payload = Buffer.from(`shell,v2,raw:${command}\0`);
      this.#send({ command: Command.OPEN, arg0: this.#id, arg1: 0, payload });
    });
  }

  fail(reason: Error): void {
    this.#settle?.reject(reason);
  }

  receive({ command, arg0: remote, payload }: Packet): void {
    if (command === Command.OKAY) {
      const next = this.#waiting.shift();
      if (next !== undefined) this.#send({ command: Command.WRTE, arg0: this.#id, arg1: remote, payload: next });
    } else if (command === Command.WRTE) {
      this.#read(payload);
      this.#send({ command: Command.OKAY, arg0: this.#id, arg1: remote, payload: Buffer.alloc(0) });
    } else if (command === Command.CLSE) this.#close();
  }

  #read(payload: Buffer): void {
    for (const { id, bytes } of this.#frames.push(payload)) {
      if (id === ShellFrame.EXIT) this.#status = bytes[0] ?? 0;
      else this.#keep(id === ShellFrame.STDERR ? this.#output.stderr : this.#output.stdout, bytes);
    }
  }

  #keep(output: Buffer[], bytes: Buffer): void {
    this.#output.bytes += bytes.length;
    if (this.#output.bytes > MAX_OUTPUT_BYTES)
      this.fail(new Error(`A command of the phone printed more than ${MAX_OUTPUT_BYTES} bytes.`));
    else output.push(Buffer.from(bytes));
  }

  #close(): void {
    const status = this.#status;
    if (status === undefined) this.fail(new Error('The phone refused a command, or broke it off.'));
    const [stdout, stderr] = [this.#output.stdout, this.#output.stderr].map((parts) => Buffer.concat(parts).toString());
    this.#settle?.resolve({ stdout: stdout ?? '', stderr: stderr ?? '', status: status ?? 1 });
  }
}
