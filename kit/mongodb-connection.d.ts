// The part of the driver's own class for a connection that mended-driver.ts mends. The driver does not export it.

declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly socket: Socket;
    /** Ends the connection; `error` is the one of operations under way. */
    cleanup(error: Error): void;
  }
}
