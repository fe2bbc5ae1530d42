import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { skip } from '../../../testing/skip.js';
import { isOfThisUser, userOfPeer } from './peer-user.js';

const LIST = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:9CD3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7170981 1 000000005ebe282a 100 0 0 10 0
   1: 0100007F:9CD3 0100007F:E1F0 01 00000000:00000000 00:00000000 00000000     0        0 7170982 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:E1F0 0100007F:9CD3 01 00000000:00000000 00:00000000 00000000  1001        0 7170983 1 0000000000000000 20 4 30 10 -1
   3: 0200007F:E1F1 0100007F:9CD3 01 00000000:00000000 00:00000000 00000000  1002        0 7170984 1 0000000000000000 20 4 30 10 -1`;

describe('the user of a connection to a tunnel', () => {
  it('is that of the connecting end, not of the accepting one', () => {
    expect(userOfPeer(LIST, { localPort: 0x9cd3, remotePort: 0xe1f0 })).to.equal(1_001);
  });

  it('is not known for connections that are not in the list, or come from another address', () => {
    expect(userOfPeer(LIST, { localPort: 0x9cd3, remotePort: 0xe1f1 })).to.equal(undefined);
    expect(userOfPeer(LIST, { localPort: 1, remotePort: 2 })).to.equal(undefined);
    expect(userOfPeer('', { localPort: 1, remotePort: 2 })).to.equal(undefined);
  });

  it('is read from the system, for a connection of this process', async function () {
    if (process.platform !== 'linux') skip(this, 'needs Linux');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = await accepted;
    const own = process.getuid?.() ?? 0;
    expect(await isOfThisUser(socket, own)).to.equal(true);
    expect(await isOfThisUser(socket, own + 1)).to.equal(false);
    client.destroy();
    socket.destroy();
    server.close();
  });
});
