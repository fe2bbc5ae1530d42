import { plainWords } from '../api/plain-words.ts';

/** The screen as it is turned now, in its own pixels. */
export interface LiveScreenSize {
  width: number;
  height: number;
  rotation: number;
}

/** Events of a live screen. */
export interface LiveListener {
  /** Is called whenever the state of the connection changes. A lost connection is opened again. */
  onState(state: LiveState): void;
  /** Is called when the phone is gone, so that the connection was closed for good. */
  onGone(): void;
  onScreen(screen: LiveScreenSize): void;
  /** Is called with the form of the next frames. The next frame of a video is a key frame. */
  onFormat(format: FrameFormat): void;
  /** Is called with the message of a frame, with its header. Newer pictures replace older ones that were not drawn yet. */
  onFrame(message: ArrayBuffer): void;
  /** Is called when input was refused or there is no picture. Is called with undefined when frames arrive again. */
  onError(message: string | undefined): void;
}

/** The form of frames: pictures, or a video and its codec. */
export type FrameFormat = { format: 'jpeg' } | { format: 'h264'; codec: string };

export type LiveState = 'connecting' | 'open' | 'closed';

export type InputEvent =
  | { touch: { phase: 'down' | 'move' | 'up'; x: number; y: number; pointer: number }; at_ms: number }
  | { key: { name: string; phase?: 'down' | 'up' | 'press' } }
  | { text: { text: string } };

interface LiveText {
  type: 'hello' | 'screen' | 'error';
  screen?: LiveScreenSize;
  format?: string;
  codec?: string;
  error?: string;
  message?: string;
}

/** Most events in one message. */
const MAX_EVENTS = 200;
/** Delays before further attempts, ms; the last is repeated. */
const RETRY_MS = [300, 1_000, 3_000, 5_000];
/** The close code of a connection that is closed for good, as the phone is gone. */
const GONE = 4404;

export interface LiveOptions {
  format: 'auto' | 'jpeg';
  maxSize: number;
  quality: number;
  shareToken: string | undefined;
}

/** The WebSocket of a phone's live screen. Until `close`, it is opened again whenever it ends, as phones and services come back. */
export class LiveConnection {
  readonly #url: string;
  readonly #protocols: string[];
  readonly #listener: LiveListener;
  #ws: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  /**
   * `format`: auto is video where the phone has it. `shareToken`: the token of the share with which the phone is watched. Absent: the
   * person who is signed in watches.
   */
  constructor(name: string, { format, maxSize, quality, shareToken }: LiveOptions, listener: LiveListener) {
    const query = new URLSearchParams({ format, max_size: String(maxSize), quality: String(quality) });
    this.#url = `/v1/devices/${encodeURIComponent(name)}/live?${query.toString()}`;
    // The protocols are the only header of a handshake that a page can set.
    this.#protocols = shareToken === undefined ? [] : ['cloudphone.share', shareToken];
    this.#listener = listener;
    this.#open();
  }

  /** Sends input. It is dropped when there is no connection. */
  send(events: readonly InputEvent[]): void {
    if (this.#ws?.readyState !== WebSocket.OPEN) return;
    for (let from = 0; from < events.length; from += MAX_EVENTS) {
      this.#ws.send(JSON.stringify({ events: events.slice(from, from + MAX_EVENTS) }));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    const ws = this.#ws;
    this.#ws = undefined;
    ws?.close();
  }

  #open(): void {
    this.#listener.onState('connecting');
    const url = new URL(this.#url, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const ws = new WebSocket(url, this.#protocols);
    ws.binaryType = 'arraybuffer';
    this.#ws = ws;
    ws.onopen = () => {
      this.#failures = 0;
      this.#listener.onState('open');
    };
    ws.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (ws !== this.#ws) return;
      if (typeof data === 'string') this.#read(JSON.parse(data) as LiveText);
      else {
        this.#listener.onError(undefined);
        this.#listener.onFrame(data);
      }
    };
    ws.onclose = ({ code }) => {
      if (ws !== this.#ws) return;
      this.#listener.onState('closed');
      if (code === GONE) this.#listener.onGone();
      else this.#timer = setTimeout(() => this.#open(), RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]);
    };
  }

  #read({ type, screen, format, codec, message }: LiveText): void {
    if (type === 'error') {
      const text = plainWords(message ?? '');
      this.#listener.onError(text === '' ? 'The phone has no picture for now.' : text);
      return;
    }
    if (screen !== undefined) this.#listener.onScreen(screen);
    const isVideo = format === 'h264' && codec !== undefined;
    this.#listener.onFormat(isVideo ? { format, codec } : { format: 'jpeg' });
  }
}
