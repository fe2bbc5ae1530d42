import type { FromVideoWorker, ToVideoWorker } from './video-messages.ts';

/** The codec of most phones' video. It is used to test whether the browser can decode video. */
const USUAL_CODEC = 'avc1.42E01F';

let decodes: Promise<boolean> | undefined;

/**
 * Returns whether this browser decodes the video of phones. Browsers offer decoders only to pages over https and to pages from localhost.
 */
export function decodesVideo(): Promise<boolean> {
  decodes ??=
    'VideoDecoder' in globalThis
      ? VideoDecoder.isConfigSupported({ codec: USUAL_CODEC }).then(
          ({ supported }) => supported === true,
          () => false,
        )
      : Promise.resolve(false);
  return decodes;
}

/** Decodes a video in a worker, so that touches never wait for it. */
export class VideoPlayer {
  readonly #worker: Worker;

  /** `onPicture` receives each picture and must close it. */
  constructor({ onPicture, onError }: { onPicture: (picture: VideoFrame) => void; onError: (reason: string) => void }) {
    this.#worker = new Worker(new URL('./video-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<FromVideoWorker>) => {
      if ('picture' in data) onPicture(data.picture);
      else onError(data.error);
    };
    this.#worker.onerror = ({ message }) => onError(message);
  }

  /** Begins a video of this codec: the next unit is a key frame. */
  begin(codec: string): void {
    this.#post({ codec });
  }

  /** Plays a unit, given as its message. The buffer is transferred to the worker, so the caller can no longer use it. */
  play(unit: ArrayBuffer): void {
    this.#post({ unit }, [unit]);
  }

  close(): void {
    this.#worker.onmessage = null;
    this.#worker.terminate();
  }

  #post(message: ToVideoWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
