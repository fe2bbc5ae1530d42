import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Clock } from './clock.js';
import type { Log } from './log.js';

export interface ListenAt {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Ends the sentence "Port 8080 on 127.0.0.1, wanted …", with the setting: "by the gateway (PORT)". */
  wanted: string;
  /** The setting that names the host. */
  hostSetting: string;
  /** For connections that cannot be accepted later, as when the process has no file descriptor left: an error without a listener ends it. */
  log: Log;
}

/** Opens a server's port and returns its number. Throws one line that names the port, and the setting, when it cannot be had. */
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
