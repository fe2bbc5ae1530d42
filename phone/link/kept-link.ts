import type { Clock } from '../../kit/clock.js';
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
 * The way to one phone: an ADB transport that is opened at first use and kept. When it broke or was retired, the next command
 * gets a fresh one; commands that come while it is being opened wait for the same one.
 */
export class KeptLink {
  readonly #options: KeptLinkOptions;
  #link: Promise<PhoneLink> | undefined;
  #opened: PhoneLink | undefined;
  #closed = false;

  constructor(options: KeptLinkOptions) {
    this.#options = options;
  }

  async shell(command: string, options: RunOptions): Promise<CommandResult> {
    return (await this.link()).shell(command, options);
  }

  async exec(command: string, options: RunOptions): Promise<Buffer> {
    return (await this.link()).exec(command, options);
  }

  /** The link as it is now, opened when there is none. */
  async link(): Promise<PhoneLink> {
    if (this.#link === undefined || this.#opened?.usable === false) {
      this.#opened = undefined;
      const link = PhoneLink.open({ ...this.#options, timeoutMs: this.#options.connectTimeoutMs });
      this.#link = link;
      link.then(
        (opened) => {
          if (this.#closed) opened.close();
          else if (this.#link === link) this.#opened = opened;
        },
        (error: unknown) => {
          if (this.#link === link) this.#link = undefined;
          this.#options.onOpenFailed?.(error);
        },
      );
    }
    return this.#link;
  }

  /** Whether no command runs. */
  get idle(): boolean {
    return this.#opened?.idle ?? this.#link === undefined;
  }

  /** The phone said what makes no sense: running commands may end, the next one gets a new link. */
  retire(): void {
    this.#opened?.retire();
  }

  /** Hangs up; running commands fail. A later command opens a new link, unless `close` ended it for good. */
  drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
    this.#link = undefined;
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }
}
