import { type ChildProcess, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { type CounterPlace, readCounter } from './live-counter.js';
import { quantile } from './report.js';

type Question =
  | { ask: 'open'; url: string; count: number; deaf: number }
  | { ask: 'measure'; ms: number; place: CounterPlace; originMs: number }
  | { ask: 'close' };

/** The frames that viewers received in a while. */
export interface Seen {
  /** Frames a second of each viewer that reads. */
  fps: number[];
  /** The time from the drawing of a frame to its arrival at a viewer, ms, over all viewers. */
  p50: number;
  p95: number;
}

/** Viewers in a process of their own: their reading takes no time of the service's event loop. */
export class Viewers {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), ['viewers']);

  /** Opens viewers, of which the last `deaf` stop reading after their first frame. */
  async open(url: string, count: number, deaf = 0): Promise<void> {
    await this.#ask({ ask: 'open', url, count, deaf });
  }

  measure(ms: number, place: CounterPlace, originMs: number): Promise<Seen> {
    return this.#ask({ ask: 'measure', ms, place, originMs });
  }

  async close(): Promise<void> {
    await this.#ask({ ask: 'close' });
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #ask<T>(question: Question): Promise<T> {
    return new Promise((resolve) => {
      this.#child.once('message', (response: T) => resolve(response));
      this.#child.send(question);
    });
  }
}

const HEADER_BYTES = 8;

function serveViewers(): void {
  let viewers: { ws: WebSocket; isDeaf: boolean; arrivals: { image: string; atMs: number }[] }[] = [];
  const images = new Map<string, Buffer>();
  let measuring = false;
  const open = async (url: string, isDeaf: boolean): Promise<void> => {
    const ws = new WebSocket(url, { headers: { authorization: 'Bearer key_1' }, perMessageDeflate: false });
    const viewer = { ws, isDeaf, arrivals: [] as { image: string; atMs: number }[] };
    viewers.push(viewer);
    await new Promise<void>((resolve, reject) => {
      ws.on('error', reject);
      ws.on('message', (data: Buffer, isBinary: boolean) => {
        if (!isBinary) return;
        resolve();
        if (isDeaf) ws.pause();
        if (!measuring) return;
        const atMs = performance.timeOrigin + performance.now();
        const image = hash('md5', data.subarray(HEADER_BYTES), 'hex');
        if (!images.has(image)) images.set(image, Buffer.from(data.subarray(HEADER_BYTES)));
        viewer.arrivals.push({ image, atMs });
      });
    });
  };
  const measure = async (ms: number, place: CounterPlace, originMs: number): Promise<Seen> => {
    for (const viewer of viewers) viewer.arrivals.length = 0;
    images.clear();
    measuring = true;
    await new Promise((resolve) => setTimeout(resolve, ms));
    measuring = false;
    const drawnMs = new Map<string, number>();
    for (const [key, image] of images) drawnMs.set(key, originMs + (await readCounter(image, place)));
    const reading = viewers.filter(({ isDeaf }) => !isDeaf);
    const late = reading.flatMap(({ arrivals }) =>
      arrivals.map(({ image, atMs }) => atMs - (drawnMs.get(image) ?? NaN)),
    );
    return {
      fps: reading.map(({ arrivals }) => (arrivals.length * 1_000) / ms),
      p50: quantile(late, 0.5),
      p95: quantile(late, 0.95),
    };
  };
  const respond = async (question: Question): Promise<unknown> => {
    switch (question.ask) {
      case 'open': {
        const { url, count, deaf } = question;
        for (let at = 0; at < count; at++) await open(url, at >= count - deaf);
        return true;
      }
      case 'measure':
        return measure(question.ms, question.place, question.originMs);
      case 'close':
        for (const { ws } of viewers)
          ws.removeAllListeners('error')
            .on('error', () => undefined)
            .terminate();
        viewers = [];
        return true;
    }
  };
  process.on('message', (question: Question) => {
    void respond(question).then((response) => process.send?.(response));
  });
}

if (process.argv[2] === 'viewers' && process.argv[1] === fileURLToPath(import.meta.url)) serveViewers();
