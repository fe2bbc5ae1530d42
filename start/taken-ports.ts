import { begunAhead } from '../kit/async/begun-ahead.js';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface WantedPort {
  host: string;
  /** 0: the system picks a free one. */
  port: number;
  /** The part that wants it, in the words of its own error (kit/net/listen-on.ts): "by the gateway (PORT)". */
  wanted: string;
}

/**
 * Throws an error with one line for each port that another program uses, so that a second installation can be set up in one attempt. Any
 * other fault of a port is reported by the part that opens it.
 */
export async function assertPortsFree(ports: readonly WantedPort[]): Promise<void> {
  const taken: string[] = [];
  for (const { host, port, wanted } of ports) {
    if (port !== 0 && (await isTaken(host, port)))
      taken.push(`Port ${port} on ${host}, wanted ${wanted}, is taken by another program.`);
  }
  if (taken.length > 1) taken.push('A second installation on a machine starts with PORT=0, which picks free ports.');
  if (taken.length > 0) throw new Error(taken.join('\n'));
}

async function isTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = begunAhead(once(server, 'listening'));
    server.listen(port, host);
    await listening;
    server.close();
    await once(server, 'close');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  }
}
