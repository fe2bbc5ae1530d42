import type { AdbSocket } from '@yume-chan/adb';
import type { Clock } from '../../kit/clock.js';
import { unlessAborted } from '../../kit/within.js';
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
 * The ADB connection to one phone, opened at first use and kept. When it broke or was retired, the next command opens a fresh
 * one; commands that come while it is being opened wait for the same one.
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

  /** The link as it is now, opened when there is none. */
  async link(): Promise<PhoneLink> {
    if (this.#link === undefined || this.#opened?.usable === false) {
      this.#opened = undefined;
      const link = this.openApart();
      this.#link = link;
      link.then(
        (opened) => {
          if (this.#closed) opened.close();
          else if (this.#link === link) this.#opened = opened;
        },
        () => {
          if (this.#link === link) this.#link = undefined;
        },
      );
    }
    return this.#link;
  }

  /** Another link to the same phone, for a stream that may stall: on one link, that would hold up every other. The caller closes it. */
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

  /** For a phone that sent something that makes no sense: running commands may end, the next one gets a new link. */
  retire(): void {
    this.#opened?.retire();
  }

  /** Hangs up; running commands fail. A later command opens a new link. */
  drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
    this.#link = undefined;
  }

  /** No use is expected soon: hangs up once no command runs, and after each later one. */
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
    const link = await (signal === undefined ? this.link() : unlessAborted(signal, this.link()));
    try {
      return await work(link);
    } finally {
      if (this.#released) link.retire();
    }
  }
}
