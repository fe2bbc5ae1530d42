import { begunAhead } from '../../kit/async/begun-ahead.js';
import { Cancellation } from '../../kit/async/within.js';
import type { Machine } from '../machine/machine.js';
import { Pipe, asBuffer, type ByteSink } from '../streams/pipe.js';
import { runProgram } from '../shell/commands/run-program.js';
import { openShell } from '../shell/interpreter/open-shell.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

/**
 * Serves `exec:` and `abb_exec:`, which pass standard input and output unchanged, mix standard error in, and return no exit status. The
 * client ends its input by closing the stream, so data that was sent is still read to its end (`exec-in cat > file`).
 */
export async function serveExec(
  stream: AdbStream,
  machine: Machine,
  program: { script: string } | { words: string[] },
): Promise<void> {
  const life = new Cancellation([machine.power]);
  const memory = machine.memory.reserve();
  const stdin = new Pipe();
  const output: ByteSink = { write: (bytes) => stream.write(asBuffer(bytes)) };
  const { shell, killed, finished } = openShell(machine, { memory, signal: life.signal });
  let lingering: { cancel(): void } | undefined;
  const endInput = async (): Promise<void> => {
    await pump(stream, stdin);
    stdin.end();
    // The rest of the command's output has no reader. The command may finish its input, but not run for ever.
    lingering = machine.clock.after(LINGER_MS, () => life.abort());
  };
  const input = begunAhead(endInput());
  const streams = { stdin, stdout: output, stderr: output };
  try {
    const work = async (): Promise<number> =>
      'script' in program
        ? shell.runToEnd(program.script, streams)
        : runProgram(shell, program.words, streams, shell.signal);
    await Promise.race([work(), killed]);
  } finally {
    stdin.break();
    stream.close();
    life.abort();
    await input;
    lingering?.cancel();
    finished();
    memory.release();
  }
}

const LINGER_MS = 10_000;

async function pump(stream: AdbStream, into: Pipe): Promise<void> {
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
    // The command may be over before its input is; the rest is read so that the client is not left waiting.
    await into.write(bytes).catch(() => undefined);
  }
}
