import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../kit/async/clock.js';
import { MalformedPacket } from '../../adb/packet-parser.js';
import { Command, commandName, encodePacket, type Packet } from '../../adb/packet.js';
import type { AdbPrivateKey } from '../../adb/private-key.js';
import type { ConnectSocket } from '../../link/phone-link.js';
import { PhoneProblem, type PhoneWay, type ServeOptions, unreachable } from './phone-way.js';
import { readPacket } from './read-packet.js';

export interface TcpWayOptions {
  host: string;
  port: number;
  /**
   * Reads the key. It is called for each connection that needs the key, as the operator may have replaced it. Throws an error of one line
   * when there is no key.
   */
  key: () => AdbPrivateKey;
  keyName: string;
  clock: Clock;
  connectSocket: ConnectSocket;
  limits?: Partial<TcpWayLimits>;
}

interface TcpWayLimits {
  connectMs: number;
  /** How long each packet of the handshake may take, ms. */
  handshakeMs: number;
  /** How long a person may take to accept an offered key, ms. */
  acceptMs: number;
}

const LIMITS: TcpWayLimits = { connectMs: 5_000, handshakeMs: 10_000, acceptMs: 60_000 };

/** arg0 of an AUTH packet. */
const AUTH = { TOKEN: 1, SIGNATURE: 2, PUBLIC_KEY: 3 } as const;

/**
 * Connects to a phone whose adbd listens on TCP. The client's own greeting goes to the phone, and the operator's key signs the phone's
 * token. From the phone's greeting on, bytes are passed as they are. So client and phone agree on versions and features as in a direct
 * connection.
 */
export class TcpWay implements PhoneWay {
  readonly #options: TcpWayOptions;
  readonly #limits: TcpWayLimits;

  constructor(options: TcpWayOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  async serve(client: Duplex, options: ServeOptions = {}): Promise<void> {
    const { clock } = this.#options;
    let phone: Duplex | undefined;
    try {
      const greeting = await readPacket(client, { clock, ms: this.#limits.handshakeMs });
      if (greeting.command !== Command.CNXN) throw new MalformedPacket(`${commandName(greeting.command)} before CNXN`);
      phone = await this.#connect(client);
      const reply = await this.#greet(phone, greeting, options);
      client.write(encodePacket(reply, { checksum: true }));
      // When one end closes, the other is closed too, as ADB has no half-closed connections.
      await Promise.race([pipeline(client, phone), pipeline(phone, client)]).catch(() => undefined);
    } finally {
      client.destroy();
      phone?.destroy();
    }
  }

  /** Connects to the phone. The connection is closed when the client leaves before or after it is made. */
  async #connect(client: Duplex): Promise<Duplex> {
    const { host, port, clock, connectSocket } = this.#options;
    const phone = connectSocket(host, port);
    phone.on('error', () => undefined); // `close` follows, and everything here waits for that
    client.once('close', () => phone.destroy());
    phone.setNoDelay(true);
    phone.setKeepAlive(true, KEEP_ALIVE_MS);
    const timer = clock.after(this.#limits.connectMs, () => phone.destroy(new Error('no TCP connection in time')));
    try {
      await once(phone, 'connect');
    } catch (error) {
      phone.destroy();
      throw unreachable(error);
    } finally {
      timer.cancel();
    }
    return phone;
  }

  /** Returns the phone's CNXN. */
  async #greet(phone: Duplex, greeting: Packet, { onKeyOffered }: ServeOptions): Promise<Packet> {
    const { clock, keyName } = this.#options;
    const { handshakeMs, acceptMs } = this.#limits;
    const send = (packet: Packet): void => void phone.write(encodePacket(packet, { checksum: true }));
    const auth = (kind: number, payload: Buffer): void => send({ command: Command.AUTH, arg0: kind, arg1: 0, payload });
    const receive = (ms: number): Promise<Packet> =>
      readPacket(phone, { clock, ms }).catch((error: unknown) => {
        throw unreachable(error);
      });
    send(greeting);
    let reply = await receive(handshakeMs);
    if (reply.command === Command.AUTH && reply.arg0 === AUTH.TOKEN) {
      const key = this.#key();
      auth(AUTH.SIGNATURE, key.sign(reply.payload));
      reply = await receive(handshakeMs);
      if (reply.command === Command.AUTH) {
        const problem = keyNotAccepted(key);
        if (onKeyOffered === undefined) throw problem;
        auth(AUTH.PUBLIC_KEY, key.offer(keyName));
        onKeyOffered(problem);
        reply = await readPacket(phone, { clock, ms: acceptMs }).catch(() => {
          throw problem;
        });
      }
    }
    if (reply.command === Command.CNXN) return reply;
    if (reply.command === Command.STLS) throw encrypted();
    throw unreachable(new MalformedPacket(`${commandName(reply.command)} in the handshake`));
  }

  #key(): AdbPrivateKey {
    try {
      return this.#options.key();
    } catch (error) {
      throw new PhoneProblem('The phone asks for an ADB key, and the service cannot read the key that it has for it.', {
        lasting: true,
        cause: error,
      });
    }
  }
}

/** A phone that vanished from its network is noticed on idle connections, too. */
const KEEP_ALIVE_MS = 15_000;

function keyNotAccepted(key: AdbPrivateKey): PhoneProblem {
  const text = `The phone does not accept the service's ADB key. Confirm the key with the fingerprint ${key.fingerprint} on the phone's screen ("Always allow from this computer").`;
  return new PhoneProblem(text, { lasting: true });
}

function encrypted(): PhoneProblem {
  const text =
    'The phone asks for an encrypted connection (wireless debugging). Attach it through an adb server that is paired with it.';
  return new PhoneProblem(text, { lasting: true });
}
