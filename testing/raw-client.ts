import { connect, type Socket } from 'node:net';

/** An HTTP client that sends exactly the bytes it is given, for tests of requests that no proper client sends. */
export interface RawClient {
  socket: Socket;
  send(text: string | Buffer): void;
  /** Returns what was received up to the end of the first match, and drops it from the buffer. Rejects when the connection ends earlier. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves when the connection is closed, with what was received and no match has taken. */
  rest(): Promise<string>;
}

export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  let ended = false;
  let wake: () => void = () => undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    wake();
  });
  socket.on('close', () => {
    ended = true;
    wake();
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  const news = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  return {
    socket,
    send: (text) => socket.write(text),
    until: async (pattern) => {
      for (;;) {
        const match = pattern.exec(received);
        if (match !== null) {
          const end = match.index + match[0].length;
          const text = received.slice(0, end);
          received = received.slice(end);
          return text;
        }
        if (ended) throw new Error(`the connection ended; got ${JSON.stringify(received)}`);
        await news();
      }
    },
    rest: async () => {
      while (!ended) await news();
      return received;
    },
  };
}
