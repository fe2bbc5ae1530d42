import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import { Mailbox } from '../streams/mailbox.js';
import { type Datagram, type Datagrams, MAX_WAITING_DATAGRAMS, PortTaken } from './datagrams.js';

/** The datagrams of a phone that has a network of its own, as in a container: the kernel sends them, and its rules hold them back. */
export const kernelDatagrams: Datagrams = {
  open: async (port) => {
    const socket = createSocket('udp4');
    const arrived = new Mailbox<Datagram>(MAX_WAITING_DATAGRAMS);
    socket.on('message', (bytes, sender) => arrived.add({ bytes, host: sender.address, port: sender.port }));
    const bound = begunAhead(once(socket, 'listening'));
    socket.bind(port);
    await bound.catch((error: unknown) => {
      socket.close();
      throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new PortTaken() : error;
    });
    // An unreachable receiver is reported to a later call of the kernel. No datagram waits for it.
    socket.on('error', () => undefined);
    return {
      send: (bytes, host, to) =>
        new Promise((resolve, reject) =>
          socket.send(bytes, to, host, (error) => (error === null ? resolve() : reject(error))),
        ),
      receive: () => arrived.take(),
      close: () => {
        socket.close();
        arrived.close();
      },
    };
  },
};
