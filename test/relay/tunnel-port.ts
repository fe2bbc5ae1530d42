import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Client } from '@connectrpc/connect';
import type { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';

/** A port of this machine, whose connections are carried elsewhere. */
export interface TunnelPort {
  port: number;
  close(): void;
}

/** Opens a port for adb's server, as `cloudphone adb` does. `carry` gets each connection. */
export async function openTunnelPort(carry: (client: Socket) => void): Promise<TunnelPort> {
  const clients = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client.on('error', () => undefined).once('close', () => clients.delete(client)));
    carry(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

/** Carries a connection through the rpc, until one side ends. Returns the code that it closes with; undefined: the client left, or it was refused. */
export async function tunnelByRpc(
  client: Socket,
  rpc: Client<typeof RelayService>,
  name = 'testphone',
): Promise<number | undefined> {
  async function* requests() {
    yield { name };
    for await (const data of client) yield { data: data as Buffer };
  }
  try {
    for await (const { message } of rpc.connectAdb(requests(), {
      headers: { authorization: 'key-1', 'x-client-address': '127.0.0.1' },
    })) {
      if (message.case === 'close') return message.value.code;
      if (message.case === 'data' && !client.write(message.value))
        await Promise.race([once(client, 'drain'), once(client, 'close')]);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}
