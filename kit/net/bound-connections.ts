import type { Server } from 'node:net';
import { clientAddress } from './client-address.js';

/**
 * Closes each further connection of an address, or of a /64 in IPv6, that has `most` open already. So silent connections of one address do
 * not take all the places of a server.
 */
export function boundConnections(server: Server, most: number): void {
  const ofAddress = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = clientAddress(socket.remoteAddress ?? '');
    const open = ofAddress.get(address) ?? 0;
    if (open >= most) {
      socket.destroy();
      return;
    }
    ofAddress.set(address, open + 1);
    socket.once('close', () => {
      const left = (ofAddress.get(address) ?? 0) - 1;
      if (left > 0) ofAddress.set(address, left);
      else ofAddress.delete(address);
    });
  });
}
