import { createSocket, type Socket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** A name server's records of a name: its addresses, of both families together; a name that it is another name for comes first. */
export interface NameAnswer {
  alias?: string;
  addresses: readonly string[];
}

const A = 1;
const AAAA = 28;
const CNAME = 5;
const IN = 1;
/** A response to a recursive query, without an error. */
const FLAGS = 0x8180;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

/**
 * A name server whose answers are set by a test: each is returned once for each family, the last one for ever. None may be kept.
 */
export class NameServer {
  readonly #socket: Socket;
  readonly #names = new Map<string, readonly NameAnswer[]>();
  readonly #asked = new Map<string, number>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, { address, port }) => socket.send(this.#answer(query), port, address));
  }

  static async listen(host: string, port: number): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, host, resolve);
    });
    return new NameServer(socket);
  }

  /** Sets the records of a name from now on, beginning with the first response. */
  tell(name: string, answers: readonly NameAnswer[]): void {
    this.#names.set(name.toLowerCase(), answers);
    for (const type of [A, AAAA]) this.#asked.delete(`${name.toLowerCase()} ${type}`);
  }

  /** Returns how often the IPv4 addresses of a name were looked up since its records were set. */
  asked(name: string): number {
    return this.#asked.get(`${name.toLowerCase()} ${A}`) ?? 0;
  }

  close(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer {
    const { name, type, end } = questionIn(query);
    const answers = this.#names.get(name) ?? [];
    const count = this.#asked.get(`${name} ${type}`) ?? 0;
    this.#asked.set(`${name} ${type}`, count + 1);
    const answer = answers[Math.min(count, answers.length - 1)];
    const records = answer === undefined ? [] : recordsOf(name, type, answer);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(FLAGS + (answer === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]);
  }
}

function questionIn(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(name: string, type: number, { alias, addresses }: NameAnswer): Buffer[] {
  const owner = alias ?? name;
  return [
    ...(alias === undefined ? [] : [record(name, CNAME, encoded(alias))]),
    ...addresses
      .map((address) => Buffer.from(ipaddr.parse(address).toByteArray()))
      .filter(({ length }) => length === (type === A ? 4 : type === AAAA ? 16 : -1))
      .map((data) => record(owner, type, data)),
  ];
}

/** Returns a record: name, type, class, no time to live, length, data. */
function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(IN, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(owner), fixed, data]);
}

function encoded(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}
