// Declares the members of the MongoDB driver's Connection class that mended-driver.ts needs. The driver does not export this class.

declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';

  export class Connection {
    readonly socket: Socket;
    /** Ends the connection. Its unfinished operations fail with `error`. */
    cleanup(error: Error): void;
  }
}
