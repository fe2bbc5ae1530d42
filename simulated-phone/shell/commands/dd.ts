import type { WriteHandle } from '../../files/file-handles.js';
import { CommandFailure, pathOf, type Command, type CommandCall } from '../command.js';
import { fairSource } from '../fair-streams.js';
import type { ByteSource } from '../../streams/pipe.js';

interface Copy {
  input: string | undefined;
  output: string | undefined;
  inBytes: number;
  outBytes: number;
  count: number;
  /** Blocks of the input that are skipped. */
  skip: number;
  quiet: boolean;
}

/** `dd [if=FILE] [of=FILE] [bs=N] [ibs=N] [obs=N] [count=N] [skip=N] [conv=fsync] [status=none]` */
export const dd: Command = async (call) => {
  const copy = copyOf(call.args);
  const { machine, stdin, stdout, stderr, signal } = call;
  const reader = copy.input === undefined ? undefined : await machine.shellFiles.openRead(pathOf(call, copy.input));
  const writer = await openOutput(call, copy).catch(async (error: unknown) => {
    await reader?.close();
    throw error;
  });
  const startMs = machine.clock.monotonicMs();
  const counts = { whole: 0, part: 0, bytes: 0 };
  try {
    const blocks = new Blocks(reader ? fairSource(reader, signal) : stdin, copy.inBytes, call);
    for (let skipped = 0; skipped < copy.skip && (await blocks.next()); skipped++);
    while (counts.whole + counts.part < copy.count) {
      const block = await blocks.next();
      if (!block) break;
      if (block.length === copy.inBytes) counts.whole++;
      else counts.part++;
      counts.bytes += block.length;
      if (writer) await writer.write(block);
      else await stdout.write(block);
    }
  } finally {
    await reader?.close();
    await writer?.close();
  }
  if (copy.quiet) return 0;
  const seconds = Math.max(0.001, (machine.clock.monotonicMs() - startMs) / 1000);
  const [whole, part] = [Math.floor(counts.bytes / copy.outBytes), Number(counts.bytes % copy.outBytes > 0)];
  await stderr.write(
    `${counts.whole}+${counts.part} records in\n${whole}+${part} records out\n` +
      `${counts.bytes} bytes copied, ${seconds.toFixed(3)} s, ${Math.round(counts.bytes / seconds)} B/s\n`,
  );
  return 0;
};

async function openOutput(call: CommandCall, { output }: Copy): Promise<WriteHandle | undefined> {
  return output === undefined ? undefined : call.machine.shellFiles.openWrite(pathOf(call, output), { append: false });
}

const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

/** Parses the operands. Throws CommandFailure for an operand that is unknown, or that this phone does not support. */
function copyOf(operands: readonly string[]): Copy {
  const copy: Copy = { input: undefined, output: undefined, inBytes: 512, outBytes: 512, count: Infinity, skip: 0, quiet: false }; // prettier-ignore
  for (const operand of operands) {
    const [, name = '', value = ''] = /^([a-z]+)=([\s\S]*)$/.exec(operand) ?? [];
    if (name === 'if') copy.input = value;
    else if (name === 'of') copy.output = value;
    else if (name === 'bs') copy.inBytes = copy.outBytes = blockSize(value);
    else if (name === 'ibs') copy.inBytes = blockSize(value);
    else if (name === 'obs') copy.outBytes = blockSize(value);
    else if (name === 'count') copy.count = sizeOf(value);
    else if (name === 'skip') copy.skip = sizeOf(value);
    else if (name === 'status' && ['none', 'noxfer', 'progress'].includes(value)) copy.quiet = value === 'none';
    else if (name === 'conv' && value.split(',').every((word) => word === 'fsync' || word === 'fdatasync')) continue;
    else if (['seek', 'conv', 'iflag', 'oflag'].includes(name))
      throw new CommandFailure(`${operand}: not supported by this phone`); // prettier-ignore
    else throw new CommandFailure(`bad arg '${operand}'`);
  }
  return copy;
}

function blockSize(text: string): number {
  const size = sizeOf(text);
  if (size < 1 || size > MAX_BLOCK_BYTES) throw new CommandFailure(`bad block size '${text}'`);
  return size;
}

/** Parses a size: `4`, `4k`, `2M`, `1G`, `3b`. */
function sizeOf(text: string): number {
  const match = /^(\d+)(c|b|[kKmMgG])?$/.exec(text);
  if (!match) throw new CommandFailure(`bad number '${text}'`);
  const unit = { c: 1, b: 512, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[(match[2] ?? 'c').toLowerCase()] ?? 1;
  return Number(match[1]) * unit;
}

/** Reads the blocks of an input. All have the same size, except the last. */
class Blocks {
  readonly #source: ByteSource;
  readonly #bytes: number;
  readonly #call: CommandCall;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(source: ByteSource, bytes: number, call: CommandCall) {
    this.#source = source;
    this.#bytes = bytes;
    this.#call = call;
  }

  /** Returns the next block; undefined at the end. Throws OutOfMemory for a block that does not fit into the phone's memory. */
  async next(): Promise<Buffer | undefined> {
    while (this.#waitingBytes < this.#bytes) {
      const piece = await this.#source.read();
      if (!piece) break;
      this.#call.memory.grow(piece.length);
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
    }
    if (this.#waitingBytes === 0) return undefined;
    const all = Buffer.concat(this.#waiting);
    const block = all.subarray(0, this.#bytes);
    const rest = all.subarray(block.length);
    this.#call.memory.shrink(block.length);
    this.#waiting = rest.length > 0 ? [rest] : [];
    this.#waitingBytes = rest.length;
    return block;
  }
}
