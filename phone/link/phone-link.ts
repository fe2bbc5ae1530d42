import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Adb, type AdbDaemonTransport, type AdbSocket } from '@yume-chan/adb';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { Cancellation, within } from '../../kit/async/within.js';
import { ShellFrame, ShellFrameReader } from '../adb/shell-frames.js';
import { authenticate } from './authenticate.js';
import { CollectedOutput } from './collected-output.js';
import { wholeFile } from './sync-chunks.js';
import { verifyIdentity } from './identity.js';
import { phoneTimeout, phoneUnavailable } from './phone-errors.js';

/** Opens a TCP connection to a phone's adbd. Passed in, so that tests can replace it. */
export type ConnectSocket = (host: string, port: number) => Socket;

/** The transport of a link: a TCP socket, or another stream that emits `connect` when it can be used. */
export type LinkSocket = Duplex & { setNoDelay(on: boolean): unknown };

export interface RunOptions {
  /** Infinity: no limit of time. */
  timeoutMs: number;
  /** More output than this is refused, bytes. */
  maxBytes: number;
  /** Ends the command early. It is the signal of the call that needs the command. */
  signal?: AbortSignal | undefined;
  /** Completes "the phone did not …" in error texts: "take a screenshot". */
  doing: string;
}

export interface CommandResult {
  stdout: Buffer;
  stderr: Buffer;
  /** Exit status; undefined where the phone has no shell protocol v2 (Android 6 and older). */
  exitCode: number | undefined;
}

export interface LinkOptions {
  host: string;
  port: number;
  clock: Clock;
  connectSocket: (host: string, port: number) => LinkSocket;
  /** The limit for TCP connect, ADB handshake and the check of the identity together. */
  timeoutMs: number;
  /** The identity that the phone must have (see identity.ts). It is checked before any other command. Absent: any phone is taken. */
  identity?: string;
}

/** Stderr kept of a command, bytes; the rest is dropped. */
const MAX_STDERR_BYTES = 64 * 1024;

/**
 * One ADB transport to a phone. Commands run on it at the same time, each on a stream of its own. A command that times out or prints too
 * much retires the link: the link takes no more commands, lets the running ones end, then closes. A broken socket fails all commands.
 */
export class PhoneLink {
  readonly #adb: Adb;
  readonly #transport: AdbDaemonTransport;
  readonly #socket: LinkSocket;
  readonly #clock: Clock;
  /** Aborts when the link breaks, as the library never ends the streams that are then being opened. */
  readonly #broken = new Cancellation();
  #streams = 0;
  #retired = false;

  private constructor(transport: AdbDaemonTransport, socket: LinkSocket, clock: Clock) {
    this.#transport = transport;
    this.#adb = new Adb(transport);
    this.#socket = socket;
    this.#clock = clock;
    const broke = (cause: unknown): void => {
      this.#retired = true;
      socket.destroy();
      this.#broken.abort(phoneUnavailable('The phone broke off the connection.', cause));
    };
    transport.disconnected.then(() => broke(undefined), broke);
    socket.once('close', () => broke(undefined));
  }

  /** Connects. Throws unavailable or timeout when the phone cannot be reached, WrongPhone when it is not the expected one. */
  static async open({ host, port, clock, connectSocket, timeoutMs, identity }: LinkOptions): Promise<PhoneLink> {
    const socket = connectSocket(host, port);
    socket.setNoDelay(true);
    try {
      return await within(
        { clock, timeoutMs, onTimeout: () => phoneTimeout('respond on ADB', timeoutMs) },
        async () => {
          const transport = await authenticate(socket);
          const link = new PhoneLink(transport, socket, clock);
          if (identity !== undefined) await verifyIdentity(link, identity, { timeoutMs });
          return link;
        },
      );
    } catch (error) {
      socket.on('error', () => undefined);
      socket.destroy();
      if (error instanceof ApiError) throw error;
      throw phoneUnavailable('The phone cannot be reached.', error);
    }
  }

  /** Whether it takes commands. */
  get usable(): boolean {
    return !this.#retired;
  }

  /** Whether no command runs on it. */
  get idle(): boolean {
    return this.#streams === 0;
  }

  /** Runs a command. Where the phone can, the result has the exit status, and standard error apart from the output. */
  async shell(command: string, options: RunOptions): Promise<CommandResult> {
    if (!this.#adb.canUseFeature('shell_v2')) {
      return { stdout: await this.exec(command, options), stderr: Buffer.alloc(0), exitCode: undefined };
    }
    const reader = new ShellFrameReader();
    const stdout = new CollectedOutput(options);
    const stderr: Buffer[] = [];
    let stderrBytes = 0;
    let exitCode: number | undefined;
    await this.stream(`shell,v2,raw:${command}`, options, (chunk) => {
      for (const { id, bytes } of reader.push(chunk)) {
        if (id === ShellFrame.STDOUT) stdout.add(bytes);
        else if (id === ShellFrame.EXIT) exitCode = bytes[0] ?? 0;
        else if (id === ShellFrame.STDERR && stderrBytes < MAX_STDERR_BYTES) {
          stderr.push(bytes);
          stderrBytes += bytes.length;
        }
      }
    });
    if (exitCode === undefined) throw phoneUnavailable(`The phone broke off while it was to ${options.doing}.`);
    return { stdout: stdout.whole(), stderr: Buffer.concat(stderr), exitCode };
  }

  /** Runs a command for its raw output (`exec:`): byte-exact, standard error mixed in, no exit status. */
  async exec(command: string, options: RunOptions): Promise<Buffer> {
    const output = new CollectedOutput(options);
    await this.stream(`exec:${command}`, options, (chunk) => output.add(chunk));
    return output.whole();
  }

  /** Opens a service and passes its output to `onChunk`, awaiting each call, until it ends or `onChunk` returns false. */
  async stream(
    service: string,
    options: Omit<RunOptions, 'maxBytes'>,
    onChunk: (chunk: Buffer) => unknown,
  ): Promise<void> {
    await this.#use(service, options, async (socket, signal) => {
      const reader = socket.readable.getReader();
      signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        const wanted = await onChunk(asBuffer(value));
        if (wanted === false) {
          void reader.cancel().catch(() => undefined);
          return;
        }
      }
    });
  }

  /**
   * Opens a service, sends it all of `source`, and returns its output. A service that ends before it has taken everything has refused the
   * rest.
   */
  async feed(service: string, source: AsyncIterable<Uint8Array>, options: RunOptions): Promise<Buffer> {
    const output = new CollectedOutput(options);
    await this.#use(service, options, async (socket, signal) => {
      const read = async (): Promise<void> => {
        const reader = socket.readable.getReader();
        signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
        for (let part = await reader.read(); !part.done; part = await reader.read()) output.add(asBuffer(part.value));
      };
      const ended = begunAhead(read());
      const send = async (): Promise<void> => {
        const writer = socket.writable.getWriter();
        for await (const chunk of source) {
          signal.throwIfAborted();
          const isTaken = await writer.write(chunk).then(
            () => true,
            () => false,
          );
          // The phone has ended the stream; its output has the reason.
          if (!isTaken) break;
        }
        await ended;
      };
      await Promise.race([ended, send()]);
    });
    return output.whole();
  }

  /**
   * Opens a service for a protocol of its own, and closes it when `work` has ended. An error that `work` throws retires the link, as the
   * phone then sent something that makes no sense, or nothing. When the phone refuses something, `work` must return that and not throw.
   */
  session<T>(
    service: string,
    options: Omit<RunOptions, 'maxBytes'>,
    work: (socket: AdbSocket, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#use(service, options, work);
  }

  /** Whether both sides have a feature of ADB. */
  canUse(feature: 'stat_v2' | 'ls_v2'): boolean {
    return this.#adb.canUseFeature(feature);
  }

  /** A socket to a service, for protocols of their own (minicap). The caller closes it. */
  async socket(service: string, options: Omit<RunOptions, 'maxBytes'>): Promise<AdbSocket> {
    return this.#bounded(options, (signal) => this.#openSocket(service, signal));
  }

  /** Writes a file on the phone (sync protocol). */
  async push(path: string, file: Uint8Array, mode: number, options: Omit<RunOptions, 'maxBytes'>): Promise<void> {
    this.#streams++;
    try {
      await this.#bounded(options, async () => {
        const sync = await this.#adb.sync();
        try {
          await sync.write({ filename: path, file: wholeFile(file), permission: mode });
        } finally {
          await sync.dispose();
        }
      });
    } catch (error) {
      this.retire();
      throw error instanceof ApiError ? error : phoneUnavailable(`The phone did not take ${path}.`, error);
    } finally {
      this.#streams--;
    }
  }

  /** Takes no more commands; closes once the running ones have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#streams === 0) this.close();
  }

  close(): void {
    this.#retired = true;
    this.#socket.destroy();
    void Promise.resolve(this.#transport.close()).catch(() => undefined);
  }

  /** Opens a service for `work` and closes it afterwards. A failure retires the link, unless the client hung up or its time is over. */
  async #use<T>(
    service: string,
    options: Omit<RunOptions, 'maxBytes'>,
    work: (socket: AdbSocket, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#streams++;
    let opened: AdbSocket | undefined;
    try {
      return await this.#bounded(options, async (signal) => {
        opened = await this.#openSocket(service, signal);
        return await work(opened, signal);
      });
    } catch (error) {
      if (options.signal?.aborted !== true) this.retire();
      throw error instanceof ApiError || options.signal?.aborted === true
        ? error
        : phoneUnavailable(`The phone broke off while it was to ${options.doing}.`, error);
    } finally {
      this.#streams--;
      this.#hangUp(opened);
      if (this.#retired && this.#streams === 0) this.close();
    }
  }

  async #openSocket(service: string, signal: AbortSignal): Promise<AdbSocket> {
    const socket = await this.#adb.createSocket(service);
    if (signal.aborted) this.#hangUp(socket);
    return socket;
  }

  #bounded<T>(options: Omit<RunOptions, 'maxBytes'>, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs, doing, signal } = options;
    const onTimeout = (): ApiError => phoneTimeout(doing, timeoutMs);
    return within({ clock: this.#clock, timeoutMs, signals: [signal, this.#broken.signal], onTimeout }, work);
  }

  /** Closes a stream without awaiting its end: a phone that reads nothing would delay the caller. A failure has no effect. */
  #hangUp(socket: AdbSocket | undefined): void {
    if (socket === undefined || this.#socket.destroyed) return;
    void Promise.resolve(socket.close()).catch(() => undefined);
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
