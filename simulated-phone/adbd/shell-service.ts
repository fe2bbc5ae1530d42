import type { ShellService } from '../../phone/adb/service-name.js';
import {
  ShellFrame,
  ShellFrameReader,
  encodeShellFrame,
  parseWindowSize,
  shellFrameHeader,
} from '../../phone/adb/shell-frames.js';
import { linkAborts } from '../linked-abort.js';
import type { Machine } from '../machine.js';
import type { Reservation } from '../memory/memory-budget.js';
import { createShellState } from '../shell/create-shell-state.js';
import { Interpreter } from '../shell/interpreter.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { Pipe, asBuffer, type ByteSink } from '../shell/pipe.js';
import { runInteractive, runScriptLines } from '../shell/interactive-shell.js';
import { runProgram } from '../shell/run-program.js';
import { Terminal } from '../shell/terminal.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

/** `shell:` in its two protocols, with or without a terminal, with a command or interactive. */
export async function serveShell(
  stream: AdbStream,
  machine: Machine,
  request: ShellService & { words?: string[] },
): Promise<void> {
  const life = linkAborts([stream.closed, machine.power]);
  const memory = machine.memory.reserve();
  try {
    await serve(stream, machine, request, life.signal, memory);
  } finally {
    life.unlink();
    memory.release();
  }
}

async function serve(
  stream: AdbStream,
  machine: Machine,
  request: ShellService & { words?: string[] },
  signal: AbortSignal,
  memory: Reservation,
): Promise<void> {
  const shell = new Interpreter({ machine, signal, state: createShellState(machine, memory, { TERM: request.term }) });
  const output = (id: number): ByteSink => (request.v2 ? framedSink(stream, id) : stream);
  const stdin = new Pipe();
  const terminal = request.pty ? new Terminal(output(ShellFrame.STDOUT)) : undefined;
  const input = request.v2 ? pumpFrames(stream, stdin, terminal) : pumpRaw(stream, stdin, terminal);
  // A client that breaks the framing is cut off; so is one that leaves.
  input.catch(() => stream.close());
  stream.closed.addEventListener('abort', () => stdin.break(), { once: true });

  const streams = terminal
    ? { stdin: terminal, stdout: terminal, stderr: terminal }
    : { stdin, stdout: output(ShellFrame.STDOUT), stderr: output(request.v2 ? ShellFrame.STDERR : ShellFrame.STDOUT) };
  let status: number;
  if (request.words) status = await runProgram(shell, request.words, streams, signal);
  else if (terminal) status = await runInteractive(shell, terminal, request.command);
  else if (request.command === '') status = await runScriptLines(shell, streams);
  else status = await shell.run(request.command, streams);

  if (request.v2 && !stream.closed.aborted)
    await stream.writeParts(encodeShellFrame(ShellFrame.EXIT, Buffer.from([status & 0xff]))).catch(ignoreBrokenPipe);
}

function framedSink(stream: AdbStream, id: number): ByteSink {
  const maxBytes = stream.maxPayloadBytes - shellFrameHeader.sizeBytes;
  return {
    write: async (text) => {
      const bytes = asBuffer(text);
      for (let at = 0; at < bytes.length; at += maxBytes)
        await stream.writeParts(encodeShellFrame(id, bytes.subarray(at, at + maxBytes)));
    },
  };
}

async function pumpFrames(stream: AdbStream, stdin: Pipe, terminal: Terminal | undefined): Promise<void> {
  const frames = new ShellFrameReader();
  for (let chunk = await stream.read(); chunk; chunk = await stream.read()) {
    for (const { id, bytes } of frames.push(chunk)) {
      if (id === ShellFrame.STDIN) await (terminal ? terminal.type(bytes) : stdin.write(bytes).catch(ignoreBrokenPipe));
      else if (id === ShellFrame.CLOSE_STDIN) (terminal ?? stdin).end();
      else if (id === ShellFrame.WINDOW_SIZE) terminal?.resize(parseWindowSize(bytes));
    }
  }
}

/** Version 1 has no way to end the input but to end the stream. */
async function pumpRaw(stream: AdbStream, stdin: Pipe, terminal: Terminal | undefined): Promise<void> {
  for (let chunk = await stream.read(); chunk; chunk = await stream.read())
    await (terminal ? terminal.type(chunk) : stdin.write(chunk).catch(ignoreBrokenPipe));
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error;
}
