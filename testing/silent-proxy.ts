import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a port of this machine that can fall silent, as a network does whose cable was pulled: it passes nothing on, and closes nothing. */
export interface SilentProxy {
  port: number;
  /** From now on nothing is passed on, also for later connections. */
  fallSilent(): void;
  close(): Promise<void>;
}

/** Starts to pass connections on to `target`. */
export async function startSilentProxy(target: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (bytes: Buffer) => isSilent || to.write(bytes));
    from.on('end', () => isSilent || to.end());
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (!isSilent) to.destroy();
    });
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    pass(client, service);
    pass(service, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => void (isSilent = true),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
