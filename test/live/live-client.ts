import { WebSocket } from 'ws';
import { WakeSignal } from '../../kit/async/wake-signal.js';

/** A text message of the service. */
export interface LiveText {
  type: 'hello' | 'screen' | 'error';
  screen?: { width: number; height: number; rotation: number };
  format?: string;
  codec?: string;
  error?: string;
  message?: string;
}

export interface LiveFrame {
  number: number;
  capturedMs: number;
  image: Buffer;
  /** When it arrived, on the monotonic clock. */
  atMs: number;
}

/** A viewer over a real WebSocket. */
export class LiveClient {
  readonly ws: WebSocket;
  readonly texts: LiveText[] = [];
  readonly frames: LiveFrame[] = [];
  /** Everything in the order in which it came. */
  readonly received: (LiveText | LiveFrame)[] = [];
  /** Headers of the response to the handshake. */
  headers: Record<string, unknown> = {};
  closed: { code: number; reason: string } | undefined;
  readonly #news = new WakeSignal();

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('upgrade', ({ headers }) => (this.headers = headers));
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        const [number, capturedMs] = [data.readUInt32BE(0), data.readUInt32BE(4)];
        const frame = { number, capturedMs, image: data.subarray(8), atMs: performance.now() };
        this.frames.push(frame);
        this.received.push(frame);
      } else {
        const text = JSON.parse(data.toString('utf8')) as LiveText;
        this.texts.push(text);
        this.received.push(text);
      }
      this.#news.wake();
    });
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#news.wake();
    });
    ws.on('error', () => undefined);
  }

  /** Opens `ws…/live`; throws the service's response where it refuses. */
  static async open(url: string, name: string, headers: Record<string, string>, query = ''): Promise<LiveClient> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/devices/${name}/live${query}`, { headers });
    const client = new LiveClient(ws);
    await new Promise<void>((resolve, reject) => {
      ws.once('open', () => resolve());
      ws.once('error', reject);
      ws.once('unexpected-response', (_request, response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body += text));
        response.on('end', () => reject(new Refused(response.statusCode ?? 0, body, response.headers)));
      });
    });
    return client;
  }

  /** Resolves once `find` returns something that is not undefined, with that; rejects after `ms`. */
  async until<T>(find: () => T | undefined, what: string, ms = 150_000): Promise<T> {
    const deadline = AbortSignal.timeout(ms);
    deadline.addEventListener('abort', () => this.#news.wake(), { once: true });
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (deadline.aborted) {
        throw new Error(
          `no ${what}; texts ${JSON.stringify(this.texts)}, ${this.frames.length} frames, closed ${JSON.stringify(this.closed)}`,
        );
      }
      await this.#news.wait();
    }
  }

  /** The next text of the type after `from` texts. */
  text(type: LiveText['type'], from = 0, ms?: number): Promise<LiveText> {
    return this.until(() => this.texts.slice(from).find((text) => text.type === type), `text ${type}`, ms);
  }

  frame(number: number, ms?: number): Promise<LiveFrame> {
    return this.until(() => this.frames.find((frame) => frame.number >= number), `frame ${number}`, ms);
  }

  end(ms?: number): Promise<{ code: number; reason: string }> {
    return this.until(() => this.closed, 'close', ms);
  }

  send(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  tap(x: number, y: number): void {
    this.send({ events: [{ touch: { phase: 'down', x, y } }, { touch: { phase: 'up', x, y } }] });
  }

  close(): void {
    this.ws.terminate();
  }
}

/** The service refused the handshake. */
export class Refused extends Error {
  readonly status: number;
  readonly body: { error?: string; message?: string };
  readonly headers: Record<string, unknown>;

  constructor(status: number, body: string, headers: Record<string, unknown>) {
    super(`refused with ${status}: ${body}`);
    this.status = status;
    this.headers = headers;
    this.body = JSON.parse(body) as { error?: string; message?: string };
  }
}
