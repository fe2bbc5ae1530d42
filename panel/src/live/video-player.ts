import type { FromVideoWorker, ToVideoWorker } from './video-messages.ts';

/** A codec as phones send it, for the question whether the browser has a decoder. */
const USUAL_CODEC = 'avc1.42E01F';

let decodes: Promise<boolean> | undefined;

/** Whether this browser decodes the video of phones. Browsers offer that to pages with https, and on this machine. */
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

  /** `onPicture` gets each picture, and closes it. */
  constructor({ onPicture, onError }: { onPicture: (picture: VideoFrame) => void; onError: (reason: string) => void }) {
    this.#worker = new Worker(new URL('./video-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<FromVideoWorker>) => {
      if ('picture' in data) onPicture(data.picture);
      else onError(data.error);
    };
    this.#worker.onerror = ({ message }) => onError(message);
  }

  /** The next unit is a key frame of this codec. */
  begin(codec: string): void {
    this.#post({ codec });
  }

  /** Takes the message of a unit, which belongs to the worker from then on. */
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
