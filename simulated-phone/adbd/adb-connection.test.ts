import net from 'node:net';
import { expect } from 'chai';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { Command, encodePacket, sumOfBytes, type Packet } from '../../phone/adb/packet.js';
import { startPhone } from '../../testing/phone/start-phone.js';

/** A client that sends exactly the packets of a test. */
class RawClient {
  readonly socket: net.Socket;
  readonly #packets: Packet[] = [];
  readonly #parser = new PacketParser({ maxPayloadBytes: () => 1_048_576, verifyChecksum: () => this.checksums });
  checksums = false;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.setMaxListeners(0);
    this.socket.on('error', () => undefined); // some tests have the connection cut
    this.socket.on('data', (chunk) => this.#packets.push(...this.#parser.push(chunk)));
  }

  send(command: number, arg0: number, arg1: number, payload: string | Buffer = ''): void {
    this.socket.write(
      encodePacket({ command, arg0, arg1, payload: Buffer.from(payload) }, { checksum: this.checksums }),
    );
  }

  async next(): Promise<Packet> {
    while (this.#packets.length === 0) {
      if (this.socket.closed) throw new Error('the connection was dropped');
      await new Promise((resolve) => this.socket.once('data', resolve).once('close', resolve));
    }
    return this.#packets.shift() as Packet;
  }

  async connect(options: { version?: number; maxPayloadBytes?: number } = {}): Promise<Packet> {
    this.send(
      Command.CNXN,
      options.version ?? 0x01000001,
      options.maxPayloadBytes ?? 1_048_576,
      'host::features=shell_v2,cmd',
    );
    return this.next();
  }

  /** Returns all that a service writes until it closes. */
  async collect(service: string, id = 5): Promise<Buffer[]> {
    this.send(Command.OPEN, id, 0, `${service}\0`);
    const opened = await this.next();
    expect(opened.command).to.equal(Command.OKAY);
    const parts: Buffer[] = [];
    for (;;) {
      const packet = await this.next();
      if (packet.command === Command.CLSE) return parts;
      parts.push(packet.payload);
      this.send(Command.OKAY, id, packet.arg0);
    }
  }

  async isDropped(): Promise<boolean> {
    if (!this.socket.closed) await new Promise((resolve) => this.socket.once('close', resolve));
    return true;
  }
}

describe('AdbConnection', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  let client: RawClient;
  before(async () => (world = await startPhone()));
  after(() => world.stop());
  beforeEach(() => (client = new RawClient(world.port)));
  afterEach(() => client.socket.destroy());

  it('responds to CNXN without asking for a key, with its features', async () => {
    const { command, arg0, arg1, payload } = await client.connect();
    expect([command, arg0, arg1]).to.deep.equal([Command.CNXN, 0x01000001, 1_048_576]);
    expect(payload.toString()).to.match(/^device::ro\.product\.name=phone_720p;ro\.product\.model=Phone 720p;ro\.product\.device=testphone;features=shell_v2,cmd,/); // prettier-ignore
  });

  it('sends checksums to a client of the old version and cuts to its payload', async () => {
    await client.connect({ version: 0x01000000, maxPayloadBytes: 4096 });
    client.checksums = true;
    const parts = await client.collect('exec:screencap');
    expect(Math.max(...parts.map((part) => part.length))).to.equal(4096);
    expect(parts.reduce((sum, part) => sum + part.length, 0)).to.equal(16 + 360 * 640 * 4);
    expect(sumOfBytes(Buffer.from([255, 2]))).to.equal(257);
  });

  it('serves a client of the old version that sends wrong sums, as adbd does', async () => {
    await client.connect({ version: 0x01000000 });
    expect(Buffer.concat(await client.collect('exec:echo served')).toString()).to.equal('served\n');
  });

  for (const [what, act] of Object.entries<(client: RawClient) => void>({
    'a first packet that is not CNXN': (one) => one.send(Command.OPEN, 1, 0, 'shell:ls\0'),
    'a wrong magic': (one) => void one.socket.write(Buffer.alloc(24, 1)),
    'a CNXN with an endless payload': (one) => {
      const header = encodePacket({ command: Command.CNXN, arg0: 0x01000001, arg1: 4096, payload: Buffer.alloc(0) }, { checksum: false }); // prettier-ignore
      header.writeUInt32LE(0x7fffffff, 12);
      one.socket.write(header);
    },
    'a second CNXN': (one) => [1, 2].forEach(() => one.send(Command.CNXN, 0x01000001, 1_048_576, 'host::')),
    'an unknown command': (one) => {
      one.send(Command.CNXN, 0x01000001, 1_048_576, 'host::');
      one.send(0x12345678, 0, 0);
    },
    'WRTEs without end that wait for no OKAY': (one) => {
      one.send(Command.CNXN, 0x01000001, 1_048_576, 'host::');
      one.send(Command.OPEN, 7, 0, 'exec:sleep 100\0');
      for (let at = 0; at < 400; at++) one.send(Command.WRTE, 7, 1, Buffer.alloc(60_000));
    },
  }))
    it(`drops ${what}, and no other client`, async () => {
      const other = new RawClient(world.port);
      await other.connect();
      act(client);
      expect(await client.isDropped()).to.equal(true);
      expect(Buffer.concat(await other.collect('exec:echo alive')).toString()).to.equal('alive\n');
      other.socket.destroy();
    });

  it('takes data that comes ahead of its turn, as from an adb server whose client hung up', async () => {
    await client.connect();
    const script = 'sleep 0.05; cat > /data/local/tmp/ahead';
    client.send(Command.OPEN, 7, 0, `exec:${script}\0`);
    const { arg0 } = await client.next();
    for (let at = 0; at < 40; at++) client.send(Command.WRTE, 7, arg0, Buffer.alloc(60_000, at));
    client.send(Command.CLSE, 7, arg0);
    const size = async (): Promise<string> => {
      const other = new RawClient(world.port);
      await other.connect();
      const parts = await other.collect('exec:stat -c %s /data/local/tmp/ahead');
      other.socket.destroy();
      return Buffer.concat(parts).toString().trim();
    };
    while ((await size()) !== '2400000') await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('holds a bounded part of the output that clients never read', async () => {
    await client.connect();
    const held = process.memoryUsage().arrayBuffers;
    for (let id = 1; id <= 2_000; id++) client.send(Command.OPEN, id, 0, 'framebuffer:\0');
    const commands = [];
    while (commands.length < 2_000) {
      const { command } = await client.next();
      if (command === Command.OKAY || command === Command.CLSE) commands.push(command);
    }
    expect(commands).to.include(Command.CLSE);
    expect(process.memoryUsage().arrayBuffers - held).to.be.below(300 * 1024 * 1024);
    const other = new RawClient(world.port);
    await other.connect();
    expect(Buffer.concat(await other.collect('exec:echo alive')).toString()).to.equal('alive\n');
    other.socket.destroy();
  });

  it('ignores packets for streams that are over or never were', async () => {
    await client.connect();
    client.send(Command.OKAY, 9, 99);
    client.send(Command.WRTE, 9, 99, 'x');
    client.send(Command.CLSE, 9, 99);
    client.send(Command.OPEN, 0, 0, 'shell:ls\0');
    expect(Buffer.concat(await client.collect('exec:echo on')).toString()).to.equal('on\n');
  });

  it('refuses unknown services with CLSE(0, id) and records their names', async () => {
    await client.connect();
    for (const service of ['reboot:', 'tcpip:5555', 'jdwp', 'track-app', 'dev:/dev/null', 'tcp:5555', 'nonsense']) {
      client.send(Command.OPEN, 4, 0, `${service}\0`);
      expect(await client.next(), service).to.include({ command: Command.CLSE, arg0: 0, arg1: 4 });
    }
    expect(world.phone.services.recent()).to.include('tcpip:5555');
    expect(world.phone.services.count('jdwp')).to.be.greaterThan(0);
  });

  it('writes no more than one packet until it is acknowledged', async () => {
    await client.connect({ maxPayloadBytes: 4096 });
    client.send(Command.OPEN, 3, 0, 'exec:yes\0');
    await client.next();
    const first = await client.next();
    client.send(Command.OPEN, 4, 0, 'exec:echo between\0');
    const between = [await client.next(), await client.next()];
    expect(between.map(({ arg1 }) => arg1)).to.deep.equal([4, 4]);
    client.send(Command.CLSE, 3, first.arg0);
    expect((await client.next()).command).to.equal(Command.CLSE);
  });

  it('takes 512 streams and refuses the next', async () => {
    await client.connect();
    for (let id = 1; id <= 513; id++) client.send(Command.OPEN, id, 0, 'exec:sleep 100\0');
    const commands: number[] = [];
    for (let id = 1; id <= 513; id++) commands.push((await client.next()).command);
    expect(commands.lastIndexOf(Command.OKAY)).to.equal(511);
    expect(commands[512]).to.equal(Command.CLSE);
  });

  it('closes a sync stream after QUIT once its replies are sent, though the last is never acknowledged', async () => {
    await client.connect();
    client.send(Command.OPEN, 3, 0, 'sync:\0');
    const { arg0: id } = await client.next();
    const records = ['STAT\x01\0\0\0/', 'STAT\x01\0\0\0/', 'QUIT\0\0\0\0'].join('');
    client.send(Command.WRTE, 3, id, Buffer.from(records, 'latin1'));
    const commands: number[] = [];
    while (commands.at(-1) !== Command.CLSE) {
      const { command } = await client.next();
      commands.push(command);
      if (commands.filter((known) => known === Command.WRTE).length === 1) client.send(Command.OKAY, 3, id);
    }
    expect(commands.filter((known) => known === Command.WRTE)).to.have.length(2);
  });

  it('responds to a failed push only when all was sent, and takes the next', async () => {
    await client.connect();
    client.send(Command.OPEN, 3, 0, 'sync:\0');
    const { arg0: id } = await client.next();
    const record = (word: string, length: number, body = ''): Buffer => {
      const head = Buffer.alloc(8);
      head.write(word, 'latin1');
      head.writeUInt32LE(length, 4);
      return Buffer.concat([head, Buffer.from(body)]);
    };
    const push = (path: string): Buffer =>
      Buffer.concat([record('SEND', path.length + 6, `${path},33188`), record('DATA', 2, 'hi'), record('DONE', 1)]);
    client.send(Command.WRTE, 3, id, Buffer.concat([push('/system/x'), push('/sdcard/ok')]));
    const responses: string[] = [];
    while (responses.length < 2) {
      const packet = await client.next();
      if (packet.command !== Command.WRTE) continue;
      responses.push(packet.payload.toString('latin1', 0, 4));
      client.send(Command.OKAY, 3, id);
    }
    expect(responses).to.deep.equal(['FAIL', 'OKAY']);
  });
});
