import { connect, type Socket } from 'node:net';

/** An HTTP client that sends exactly the bytes it is given, for tests of requests that no proper client sends. */
export interface RawClient {
  socket: Socket;
  send(text: string | Buffer): void;
  /** Everything received up to and including the first match, which is then forgotten; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Everything received until the server closed the connection. */
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
