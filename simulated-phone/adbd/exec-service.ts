import { linkAborts } from '../linked-abort.js';
import type { Machine } from '../machine.js';
import { Interpreter } from '../shell/interpreter.js';
import { Pipe, asBuffer, type ByteSink } from '../shell/pipe.js';
import { runProgram } from '../shell/run-program.js';
import { createShellState } from '../shell/create-shell-state.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

/**
 * `exec:` and `abb_exec:`: standard input and output as they are, standard error mixed in, no exit status. The client ends
 * its input by closing the stream, so data that was sent is still read to its end (`exec-in cat > file`).
 */
export async function serveExec(
  stream: AdbStream,
  machine: Machine,
  program: { script: string } | { words: string[] },
): Promise<void> {
  const life = linkAborts([machine.power]);
  const memory = machine.memory.reserve();
  const stdin = new Pipe();
  const output: ByteSink = { write: (bytes) => stream.write(asBuffer(bytes)) };
  const shell = new Interpreter({
    machine,
    state: createShellState(machine, memory),
    signal: life.signal,
  });
  let lingering: { cancel(): void } | undefined;
  const endInput = async (): Promise<void> => {
    await pump(stream, stdin);
    stdin.end();
    // The rest of its output has no reader: it may finish its input, but not run for ever.
    lingering = machine.clock.after(LINGER_MS, () => life.abort());
  };
  const input = endInput();
  const streams = { stdin, stdout: output, stderr: output };
  try {
    if ('script' in program) await shell.run(program.script, streams);
    else await runProgram(shell, program.words, streams, shell.signal);
  } finally {
    stdin.break();
    stream.close();
    life.abort();
    await input;
    lingering?.cancel();
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
