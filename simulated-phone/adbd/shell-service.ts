import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { ShellService } from '../../phone/adb/service-name.js';
import {
  ShellFrame,
  ShellFrameReader,
  encodeShellFrame,
  parseWindowSize,
  shellFrameHeader,
} from '../../phone/adb/shell-frames.js';
import { Cancellation } from '../../kit/async/within.js';
import type { Machine } from '../machine/machine.js';
import { openShell, type OpenShell } from '../shell/interpreter/open-shell.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { Pipe, asBuffer, type ByteSink } from '../streams/pipe.js';
import { runInteractive, runScriptLines } from '../shell/interactive-shell.js';
import { runProgram } from '../shell/commands/run-program.js';
import { Terminal } from '../shell/terminal.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

/** Serves `shell:` in its two protocols, with or without a terminal, with a command or interactive. */
export async function serveShell(
  stream: AdbStream,
  machine: Machine,
  request: ShellService & { words?: string[] },
): Promise<void> {
  const life = new Cancellation([stream.closed, machine.power]);
  const memory = machine.memory.reserve();
  try {
    const opened = openShell(machine, { memory, signal: life.signal, environment: { TERM: request.term } });
    try {
      await serve(stream, opened, request, life.signal);
    } finally {
      opened.finished();
    }
  } finally {
    life.end();
    memory.release();
  }
}

async function serve(
  stream: AdbStream,
  { shell, killed }: OpenShell,
  request: ShellService & { words?: string[] },
  signal: AbortSignal,
): Promise<void> {
  const output = (id: number): ByteSink => (request.v2 ? framedSink(stream, id) : stream);
  const stdin = new Pipe();
  const terminal = request.pty ? new Terminal(output(ShellFrame.STDOUT)) : undefined;
  const input = request.v2
    ? begunAhead(pumpFrames(stream, stdin, terminal))
    : begunAhead(pumpRaw(stream, stdin, terminal));
  // The stream of a client that breaks the framing, or that leaves, is closed.
  input.catch(() => stream.close());
  stream.closed.addEventListener('abort', () => stdin.break(), { once: true });

  const streams = terminal
    ? { stdin: terminal, stdout: terminal, stderr: terminal }
    : { stdin, stdout: output(ShellFrame.STDOUT), stderr: output(request.v2 ? ShellFrame.STDERR : ShellFrame.STDOUT) };
  const work = async (): Promise<number> => {
    if (request.words) return runProgram(shell, request.words, streams, signal);
    if (terminal) return runInteractive(shell, terminal, request.command);
    return request.command === '' ? runScriptLines(shell, streams) : shell.runToEnd(request.command, streams);
  };
  const status = await Promise.race([work(), killed]);
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

/** Passes on the input of version 1, which a client can end only by ending the stream. */
async function pumpRaw(stream: AdbStream, stdin: Pipe, terminal: Terminal | undefined): Promise<void> {
  for (let chunk = await stream.read(); chunk; chunk = await stream.read())
    await (terminal ? terminal.type(chunk) : stdin.write(chunk).catch(ignoreBrokenPipe));
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error;
}
