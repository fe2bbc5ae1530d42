import { connect, type Socket } from 'node:net';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { Command, encodePacket, type Packet, VERSION_SKIP_CHECKSUM } from '../../phone/adb/packet.js';
import { ShellFrameReader } from '../../phone/adb/shell-frames.js';

const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** An adb client that sends exactly the packets of a test, and acknowledges those that it receives. */
export class RawAdb {
  readonly socket: Socket;
  readonly received: Packet[] = [];
  /** Resolves with how the connection ended. */
  readonly closed: Promise<'end' | 'reset'>;
  isClosed = false;
  acknowledges = true;
  readonly #news = new WakeSignal();
  #nextId = 1;

  private constructor(socket: Socket) {
    this.socket = socket;
    let how: 'end' | 'reset' = 'end';
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') how = 'reset';
    });
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.isClosed = true;
        this.#news.wake();
        resolve(how);
      }),
    );
    const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
    socket.on('data', (chunk) => {
      for (const packet of parser.push(chunk)) {
        this.received.push({ ...packet, payload: Buffer.from(packet.payload) });
        if (packet.command === Command.WRTE && this.acknowledges)
          this.send(Command.OKAY, packet.arg1, packet.arg0, undefined);
      }
      this.#news.wake();
    });
  }

  /** Connects without sending anything. */
  static async connect(port: number, host = '127.0.0.1', allowHalfOpen = false): Promise<RawAdb> {
    const socket = connect({ port, host, noDelay: true, allowHalfOpen });
    const client = new RawAdb(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return client;
  }

  /** Whether a connection is reset before anything is sent. */
  static async isReset(port: number): Promise<boolean> {
    try {
      const client = await RawAdb.connect(port);
      client.greet();
      return (await client.closed) === 'reset' && client.received.length === 0;
    } catch (error) {
      // The reset can arrive before the event that the connection is open.
      return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    }
  }

  /** Connects and completes the handshake. */
  static async greeted(
    port: number,
    options: { features?: string; host?: string; allowHalfOpen?: boolean } = {},
  ): Promise<RawAdb> {
    const client = await RawAdb.connect(port, options.host, options.allowHalfOpen);
    client.greet(options);
    await client.next(({ command }) => command === Command.CNXN);
    return client;
  }

  static async loggedIn(
    relay: { port?: number | undefined; code?: string | undefined },
    host?: string,
  ): Promise<RawAdb> {
    const client = await RawAdb.greeted(relay.port!, host === undefined ? {} : { host });
    const { status } = await client.shell(`service-login ${relay.code}`);
    if (status !== 0) throw new Error('login failed');
    return client;
  }

  greet({ features = 'shell_v2,cmd,stat_v2,ls_v2,abb_exec' }: { features?: string } = {}): void {
    this.send(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, Buffer.from(`host::features=${features}`));
  }

  send(command: number, arg0: number, arg1: number, payload: Buffer = Buffer.alloc(0)): void {
    this.socket.write(encodePacket({ command, arg0, arg1, payload }, { checksum: true }));
  }

  /** Opens a service and returns whether it was accepted. */
  async open(service: string): Promise<{ id: number; phoneId: number; accepted: boolean }> {
    const id = this.openWithoutWaiting(service);
    const response = await this.next(({ command, arg1 }) => arg1 === id && command !== Command.WRTE);
    return { id, phoneId: response.arg0, accepted: response.command === Command.OKAY };
  }

  openWithoutWaiting(service: string): number {
    const id = this.#nextId++;
    this.send(Command.OPEN, id, 0, Buffer.from(`${service}\0`));
    return id;
  }

  /** Runs `shell,v2` to its end. A status of -1: there was no exit frame. */
  async shell(command: string): Promise<{ accepted: boolean; status: number; stdout: string; stderr: string }> {
    const { id, accepted } = await this.open(`shell,v2,TERM=dumb,raw:${command}`);
    if (!accepted) return { accepted, status: -1, stdout: '', stderr: '' };
    await this.next(({ command: what, arg1 }) => arg1 === id && what === Command.CLSE);
    const frames = new ShellFrameReader();
    const output: Record<number, string> = {};
    let status = -1;
    for (const { bytes, id: frame } of frames.push(this.dataOf(id))) {
      if (frame === 3) status = bytes[0] ?? -1;
      output[frame] = (output[frame] ?? '') + bytes.toString();
    }
    return { accepted, status, stdout: output[1] ?? '', stderr: output[2] ?? '' };
  }

  /** Everything written to stream `id` so far. */
  dataOf(id: number): Buffer {
    const writes = this.received.filter(({ command, arg1 }) => command === Command.WRTE && arg1 === id);
    return Buffer.concat(writes.map(({ payload }) => payload));
  }

  /** Waits for the first packet, received already or later, that matches. Throws when the connection ends before. */
  async next(matches: (packet: Packet) => boolean): Promise<Packet> {
    for (;;) {
      const found = this.received.find(matches);
      if (found) return found;
      if (this.isClosed) throw new Error('the connection ended');
      await this.#news.wait();
    }
  }

  end(): void {
    this.socket.destroy();
  }
}
