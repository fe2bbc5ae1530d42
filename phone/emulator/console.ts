import type { Socket } from 'node:net';
import type { Clock } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { within } from '../../kit/async/within.js';

/** Bytes that the console may send for one command; help texts are the longest. */
const MAX_REPLY_BYTES = 64 * 1024;

/** The console refused, broke off or did not respond. */
export class ConsoleFault extends Error {
  override name = 'ConsoleFault';
}

/** The console did not do a command, and would not the next time. */
export class ConsoleRefusal extends ConsoleFault {
  override name = 'ConsoleRefusal';
}

/**
 * Sends commands to the console of an emulator. The console sends a greeting that ends with `OK`, and gets `auth <token>`. Each command has
 * one reply, which ends with a line `OK` or `KO: <reason>`. `kill` ends the emulator, and often the connection before its reply: that is no
 * fault.
 */
export async function runOnConsole(
  socket: Socket,
  commands: readonly string[],
  { token, timeoutMs, clock }: { token: string; timeoutMs: number; clock: Clock },
): Promise<string[]> {
  const onTimeout = (): Error => new ConsoleFault(`the console did not respond within ${timeoutMs / 1000} s`);
  const replies = new Replies(socket);
  try {
    return await within({ clock, timeoutMs, onTimeout }, async () => {
      await replies.next();
      await replies.to(`auth ${token}`, 'auth');
      const texts: string[] = [];
      for (const command of commands) texts.push(await replies.to(command, command));
      return texts;
    });
  } finally {
    socket.destroy();
  }
}

class Replies {
  readonly #socket: Socket;
  #text = '';
  #ended: Error | undefined;
  readonly #news = new WakeSignal();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      this.#text += part;
      if (this.#text.length > MAX_REPLY_BYTES) this.#end(new ConsoleFault('the console sent too much'));
      this.#news.wake();
    });
    socket.on('error', (error) => this.#end(new ConsoleFault('the console cannot be reached', { cause: error })));
    socket.on('close', () => this.#end(new ConsoleFault('the console closed the connection')));
  }

  /** Returns the reply to one command, without its last line. `shown`: the command as errors may name it. */
  async to(command: string, shown: string): Promise<string> {
    this.#socket.write(`${command}\r\n`);
    if (command !== 'kill') return this.next(shown);
    return this.next(shown).catch((error: unknown) => {
      if (this.#socket.closed || this.#socket.destroyed) return '';
      throw error;
    });
  }

  async next(shown = 'greeting'): Promise<string> {
    for (;;) {
      const end = /^(OK|KO)(.*)\r?\n/m.exec(this.#text);
      if (end !== null) {
        const reply = this.#text.slice(0, end.index).trim();
        this.#text = this.#text.slice(end.index + end[0].length);
        if (end[1] === 'OK') return reply;
        throw new ConsoleRefusal(`the console refused ${shown}${(end[2] ?? '').trim().slice(0, 200)}`);
      }
      if (this.#ended !== undefined) throw this.#ended;
      await this.#news.wait();
    }
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#news.wake();
  }
}
