import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';

export interface ListenAt {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Who wants the port, with the setting, for messages that begin "Port 8080 on 127.0.0.1, wanted by the gateway (PORT),". */
  wanted: string;
  /** The setting that names the host. */
  hostSetting: string;
  /**
   * Gets the errors of connections that cannot be accepted later, as when the process has no file descriptor left. An error that has no
   * listener would end the process.
   */
  log: Log;
}

/** Opens a server's port and returns its number. Throws when the port cannot be had. For the usual causes, the error names a setting. */
export async function listenOn(server: Server, { host, port, wanted, hostSetting, log }: ListenAt): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const place = `Port ${port} on ${host}, wanted ${wanted},`;
      if (error.code === 'EADDRINUSE') reject(new Error(`${place} is taken by another program.`));
      else if (error.code === 'EACCES') reject(new Error(`${place} may not be used by this user.`));
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
        reject(new Error(`${host} (${hostSetting}) is not an address of this machine.`));
      else reject(error);
    });
    server.listen(port, host, resolve);
  });
  server.on('error', (err: Error) =>
    log.error({ err }, `a connection to port ${port}, wanted ${wanted}, was not accepted`),
  );
  return (server.address() as AddressInfo).port;
}

/** Stops accepting, lets running requests end for at most `drainMs`, and closes. */
export function drain(server: HttpServer, clock: Clock, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = clock.after(drainMs, () => server.closeAllConnections());
    server.close(() => {
      cut.cancel();
      resolve();
    });
  });
}
