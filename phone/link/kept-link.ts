import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { AdbSocket } from '@yume-chan/adb';
import type { Clock } from '../../kit/async/clock.js';
import { unlessAborted } from '../../kit/async/within.js';
import { type CommandResult, type ConnectSocket, PhoneLink, type RunOptions } from './phone-link.js';

export interface KeptLinkOptions {
  host: string;
  port: number;
  clock: Clock;
  connectSocket: ConnectSocket;
  connectTimeoutMs: number;
  /** Expected of the phone at every new connection. Absent: any phone is taken. */
  identity?: string;
  /** Called with each failure to connect: unreachable, or WrongPhone. */
  onOpenFailed?: (error: unknown) => void;
}

/**
 * The ADB connection to one phone, opened at first use and kept. When it broke or was retired, the next command opens a new connection.
 * Commands that come while a connection is being opened wait for that one.
 */
export class KeptLink {
  readonly #options: KeptLinkOptions;
  #link: Promise<PhoneLink> | undefined;
  #opened: PhoneLink | undefined;
  #released = false;
  #closed = false;

  constructor(options: KeptLinkOptions) {
    this.#options = options;
  }

  shell(command: string, options: RunOptions): Promise<CommandResult> {
    return this.#use(options, (link) => link.shell(command, options));
  }

  exec(command: string, options: RunOptions): Promise<Buffer> {
    return this.#use(options, (link) => link.exec(command, options));
  }

  stream(...[service, options, onChunk]: Parameters<PhoneLink['stream']>): Promise<void> {
    return this.#use(options, (link) => link.stream(service, options, onChunk));
  }

  session<T>(
    service: string,
    options: Parameters<PhoneLink['session']>[1],
    work: (socket: AdbSocket, signal: AbortSignal, link: PhoneLink) => Promise<T>,
  ): Promise<T> {
    return this.#use(options, (link) => link.session(service, options, (...opened) => work(...opened, link)));
  }

  /** Returns the present link, and opens one where none is open. */
  async link(): Promise<PhoneLink> {
    if (this.#link === undefined || this.#opened?.usable === false) {
      this.#opened = undefined;
      const link = begunAhead(this.openApart());
      this.#link = link;
      link.then(
        (opened) => {
          // Whoever hung up while it was being opened could not close it then.
          if (this.#closed || this.#link !== link) opened.close();
          else this.#opened = opened;
        },
        () => {
          if (this.#link === link) this.#link = undefined;
        },
      );
    }
    return this.#link;
  }

  /** Opens another link to the same phone, for a stream that may stall and so hold up all others on its link. The caller closes it. */
  async openApart(): Promise<PhoneLink> {
    try {
      return await PhoneLink.open({ ...this.#options, timeoutMs: this.#options.connectTimeoutMs });
    } catch (error) {
      this.#options.onOpenFailed?.(error);
      throw error;
    }
  }

  /** Whether no command runs. */
  get idle(): boolean {
    return this.#opened?.idle ?? this.#link === undefined;
  }

  /**
   * Retires the link of a phone that sent something that makes no sense. Running commands may end, the next one gets a new link.
   */
  retire(): void {
    this.#opened?.retire();
  }

  /** Hangs up; running commands fail. A later command opens a new link. */
  drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
    this.#link = undefined;
  }

  /** Hangs up once no command runs, and after each later command. For a phone of which no use is expected soon. */
  release(): void {
    this.#released = true;
    this.retire();
  }

  /** Hangs up for good; running and later commands fail. */
  close(): void {
    this.#closed = true;
    this.drop();
  }

  async #use<T>({ signal }: { signal?: AbortSignal | undefined }, work: (link: PhoneLink) => Promise<T>): Promise<T> {
    // Opening continues when one caller hangs up: others may wait for the same link.
    const link = await unlessAborted(signal, this.link());
    try {
      return await work(link);
    } finally {
      if (this.#released) link.retire();
    }
  }
}
