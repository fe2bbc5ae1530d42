import type { WebSocket } from 'ws';
import { platformWait } from '../../../client/src/platform.js';
import {
  Command,
  encodePacket,
  MAX_PAYLOAD_BYTES,
  type Packet,
  VERSION_SKIP_CHECKSUM,
} from '../../../phone/adb/packet.js';
import { PacketParser } from '../../../phone/adb/packet-parser.js';
import { begunAhead } from '../begun-ahead.js';
import { ShellRun, type ShellResult } from './shell-run.js';

const BANNER = 'host::features=shell_v2,cmd';

/** How long the phone may take to accept the connection, and for one command, ms. */
const CONNECT_MS = 30_000;
const COMMAND_MS = 60_000;

/** Thrown when the connection to the phone's shell ends. */
export class ShellLost extends Error {
  override name = 'ShellLost';
}

/** The shell of a phone, over one WebSocket of ADB's bytes. Commands may run at the same time. */
export class PhoneShell {
  readonly #socket: WebSocket;
  readonly #parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
  readonly #runs = new Map<number, ShellRun>();
  #connected: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #lastId = 0;
  #lost: Error | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#receive(data);
      else this.#end(new ShellLost(`The service ended the connection to the shell: ${data.toString().slice(0, 300)}`));
    });
    socket.on('error', (cause) =>
      this.#end(new ShellLost('The connection to the shell of the phone failed.', { cause })),
    );
    socket.on('close', () => this.#end(new ShellLost('The connection to the shell of the phone was closed.')));
  }

  /** Greets the phone on an open socket. */
  static async open(socket: WebSocket): Promise<PhoneShell> {
    const shell = new PhoneShell(socket);
    const stop = after(CONNECT_MS, () => shell.#end(new ShellLost('The phone did not accept ADB in time.')));
    try {
      await new Promise<void>((resolve, reject) => {
        shell.#connected = { resolve, reject };
        if (shell.#lost !== undefined) reject(shell.#lost);
        const payload = Buffer.from(`${BANNER}\0`);
        shell.#send({ command: Command.CNXN, arg0: VERSION_SKIP_CHECKSUM, arg1: MAX_PAYLOAD_BYTES, payload });
      });
    } finally {
      stop();
    }
    return shell;
  }

  /** Runs a command with `input` as its standard input. Returns its output and its status. */
  async run(command: string, input = ''): Promise<ShellResult> {
    if (this.#lost !== undefined) throw this.#lost;
    const id = ++this.#lastId;
    const run = new ShellRun(id, Buffer.from(input), (packet) => this.#send(packet));
    this.#runs.set(id, run);
    const stop = after(COMMAND_MS, () => run.fail(new ShellLost(`"${command.slice(0, 80)}" has not ended in time.`)));
    try {
      return await run.start(command);
    } finally {
      stop();
      this.#runs.delete(id);
    }
  }

  close(): void {
    this.#end(new ShellLost('The shell was closed.'));
  }

  #receive(data: Buffer): void {
    try {
      for (const packet of this.#parser.push(data)) {
        if (packet.command === Command.CNXN) this.#connected?.resolve();
        else this.#runs.get(packet.arg1)?.receive(packet);
      }
    } catch (cause) {
      this.#end(new ShellLost('The phone sent what is not ADB.', { cause }));
    }
  }

  #end(reason: Error): void {
    this.#lost ??= reason;
    this.#connected?.reject(reason);
    for (const run of this.#runs.values()) run.fail(reason);
    this.#socket.close();
  }

  #send(packet: Packet): void {
    this.#socket.send(encodePacket(packet, { checksum: false }), { binary: true });
  }
}

/** Calls a function after a time, unless the returned one is called before. */
function after(ms: number, call: () => void): () => void {
  const over = new AbortController();
  void begunAhead(platformWait(ms, over.signal).then(call));
  return () => over.abort();
}
