import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { Banner } from '../../adb/banner.js';
import { AdbConnection, type Serve } from '../../adb/device/adb-connection.js';
import type { AdbStream } from '../../adb/device/adb-stream.js';
import { MAX_PAYLOAD_BYTES, VERSION_SKIP_CHECKSUM } from '../../adb/packet.js';
import { type AdbServerAddress, AdbServerRefusal, askAdbServer, openAdbServer } from './adb-server-client.js';
import { PhoneProblem, type PhoneWay } from './phone-way.js';

/** Features of the ADB transport itself, not of its services. They are not offered to the client, as AdbConnection lacks them. */
const TRANSPORT_FEATURES = ['delayed_ack'];

/**
 * A phone that an adb server is connected to: over USB, or over the network with TLS. Towards the client this is the phone's adbd. Each
 * stream is opened at the adb server and passed on, with adb's own backpressure at both ends.
 */
export class AdbServerWay implements PhoneWay {
  readonly #address: AdbServerAddress;
  readonly #serial: string;
  readonly #log: Log;

  constructor(options: AdbServerAddress & { serial: string; log: Log }) {
    this.#address = options;
    this.#serial = options.serial;
    this.#log = options.log;
  }

  async serve(client: Duplex): Promise<void> {
    try {
      const banner = await this.#banner();
      if (client.destroyed) return;
      const closed = begunAhead(once(client, 'close'));
      new AdbConnection(client, {
        log: this.#log,
        clock: this.#address.clock,
        faults: { hang: false },
        protocol: { version: VERSION_SKIP_CHECKSUM, maxPayloadBytes: MAX_PAYLOAD_BYTES },
        banner: () => banner,
        open: (service) => this.#open(service),
      });
      await closed;
    } finally {
      client.destroy();
    }
  }

  /** Returns the phone's features, as the adb server lists them. Throws PhoneProblem when the server has no such phone to offer. */
  async #banner(): Promise<Banner> {
    const features = await askAdbServer(this.#address, `host-serial:${this.#serial}:features`).catch(
      (error: unknown) => {
        throw problemOf(error);
      },
    );
    const spoken = features.split(',').filter((feature) => feature !== '' && !TRANSPORT_FEATURES.includes(feature));
    return { state: 'device', properties: {}, features: spoken };
  }

  async #open(service: string): Promise<Serve | undefined> {
    // The adb server would run a `host` service itself: list its phones, change its forwards, or end.
    if (service.startsWith('host')) return undefined;
    const socket = await openAdbServer(this.#address, [`host:transport:${this.#serial}`, service]);
    return (stream) => join(stream, socket, this.#address.clock);
  }
}

/** How long an adb server that has all of a client's stream may take to close it at the phone, ms. */
const CLOSE_MS = 10_000;

/** Passes bytes both ways until either end is closed and the other has all that came before. */
async function join(stream: AdbStream, socket: Socket, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
  const toPhone = async (): Promise<void> => {
    for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) {
      if (!socket.destroyed && !socket.write(bytes)) await Promise.race([once(socket, 'drain'), closed]);
    }
    // The client has closed the stream: the adb server still gets the data before that.
    socket.end();
    const timer = clock.after(CLOSE_MS, () => socket.destroy());
    await closed;
    timer.cancel();
  };
  const fromPhone = async (): Promise<void> => {
    for await (const bytes of socket) {
      // Data for a client that has gone is dropped, so that the adb server can go on to the end.
      if (!stream.closed.aborted) await stream.write(bytes as Buffer).catch(() => undefined);
    }
  };
  try {
    // An error at one end closes both ends. It is not reported in any other way.
    await Promise.race([fromPhone(), toPhone()]).catch(() => undefined);
    if (stream.closed.aborted) await closed;
  } finally {
    stream.close();
    socket.destroy();
  }
}

function problemOf(error: unknown): PhoneProblem {
  if (!(error instanceof AdbServerRefusal)) {
    return new PhoneProblem('The phone cannot be reached: the adb server that it is connected to does not respond.', {
      lasting: false,
      cause: error,
    });
  }
  if (/unauthorized/i.test(error.message)) {
    const text =
      'The phone does not accept the key of its adb server. Confirm the key on the phone\'s screen ("Always allow from this computer").';
    return new PhoneProblem(text, { lasting: true, cause: error });
  }
  return new PhoneProblem(
    'The phone cannot be reached: its adb server is not connected to it. Plug it in, or turn it on.',
    {
      lasting: false,
      cause: error,
    },
  );
}
