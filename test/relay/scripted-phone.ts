import { createServer, type AddressInfo, type Socket } from 'node:net';
import { formatBanner } from '../../phone/adb/banner.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { Command, encodePacket, MAX_PAYLOAD_BYTES, VERSION_SKIP_CHECKSUM } from '../../phone/adb/packet.js';
import { serviceName } from '../../phone/adb/service-name.js';
import { IDENTITY_COMMAND } from '../../phone/link/identity.js';
import type { Behind } from './relay-world.js';

/** The phone's side of a connection, which sends exactly the packets of a test once it has greeted. */
export interface PhoneSide {
  socket: Socket;
  send: (command: number, arg0: number, arg1: number, payload?: Buffer) => void;
}

export interface ScriptedPhone {
  /** How the device service locates it. */
  located: NonNullable<Behind['phone']>;
  /** The latest connection. */
  latest: PhoneSide | undefined;
  close(): Promise<void>;
}

/**
 * A phone whose greeting, `greets`, is the test's. By default it is a CNXN, followed by the identity once the relay requests it.
 * `onIdentity` replaces the latter.
 */
export async function startScriptedPhone(
  options: { greets?: 'CNXN' | 'AUTH' | 'STLS'; onIdentity?: (side: PhoneSide) => void } = {},
): Promise<ScriptedPhone> {
  const { greets = 'CNXN', onIdentity } = options;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const send: PhoneSide['send'] = (command, arg0, arg1, payload = Buffer.alloc(0)) =>
      void socket.write(encodePacket({ command, arg0, arg1, payload }, { checksum: false }));
    const side = { socket, send };
    phone.latest = side;
    const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
    socket.on('data', (chunk) => {
      for (const { command, arg0, payload } of parser.push(chunk)) {
        if (command === Command.CNXN) {
          const banner = formatBanner({ state: 'device', properties: {}, features: ['shell_v2'] });
          if (greets === 'CNXN') send(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, Buffer.from(banner));
          else if (greets === 'AUTH') send(Command.AUTH, 1, 0, Buffer.alloc(20, 7));
          else send(Command.STLS, VERSION_SKIP_CHECKSUM, 0);
        } else if (command === Command.OPEN && serviceName(payload) === `shell:${IDENTITY_COMMAND}`) {
          if (onIdentity) {
            onIdentity(side);
          } else {
            send(Command.OKAY, 1, arg0);
            send(Command.WRTE, 1, arg0, Buffer.from('SCRIPTED\nboot-1\n'));
            send(Command.CLSE, 1, arg0);
          }
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const phone: ScriptedPhone = {
    located: { phoneId: 'ph_test', generation: 1, host: '127.0.0.1', port, identity: 'SCRIPTED/boot-1' },
    latest: undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return phone;
}
