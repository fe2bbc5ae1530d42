import type { FromVideoWorker, ToVideoWorker } from './video-messages.ts';

/** Offsets in the message of a unit: its time, its flags and, after this header, its data. The unit's number comes first. */
const TIME_AT = 4;
const FLAGS_AT = 8;
const HEADER_BYTES = 9;
const KEY_FRAME = 1;
const CONFIGURATION = 2;

/** Most units that may wait for the decoder. With more, pictures would be shown too late, so the page goes on without video. */
const MAX_WAITING = 60;

const post = (message: FromVideoWorker, transfer: Transferable[] = []): void =>
  (self as unknown as { postMessage(message: FromVideoWorker, transfer: Transferable[]): void }).postMessage(
    message,
    transfer,
  );
const fail = (reason: unknown): void => post({ error: reason instanceof Error ? reason.message : String(reason) });

const decoder = new VideoDecoder({
  output: (picture) => post({ picture }, [picture]),
  error: fail,
});
/** The parameter sets that came in a message of their own. They are put before the next key frame. */
let configuration: Uint8Array<ArrayBuffer> | undefined;
let needsKey = true;

function decode(message: ArrayBuffer): void {
  const view = new DataView(message);
  const flags = view.getUint8(FLAGS_AT);
  const unit = new Uint8Array(message, HEADER_BYTES);
  if ((flags & CONFIGURATION) !== 0) {
    configuration = unit;
    return;
  }
  const isKey = (flags & KEY_FRAME) !== 0;
  if (needsKey && !isKey) return;
  needsKey = false;
  let data = unit;
  if (isKey && configuration !== undefined) {
    data = new Uint8Array(configuration.length + unit.length);
    data.set(configuration);
    data.set(unit, configuration.length);
    configuration = undefined;
  }
  if (decoder.decodeQueueSize > MAX_WAITING) throw new Error('the video comes faster than it can be decoded');
  const timestamp = view.getUint32(TIME_AT) * 1_000;
  decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data }));
}

self.onmessage = ({ data }: MessageEvent<ToVideoWorker>): void => {
  try {
    if ('codec' in data) {
      needsKey = true;
      decoder.configure({ codec: data.codec, optimizeForLatency: true });
    } else {
      decode(data.unit);
    }
  } catch (error) {
    fail(error);
  }
};
