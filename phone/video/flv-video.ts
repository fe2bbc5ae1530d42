import type { EncodedPicture } from './video-encoder.js';

const FILE_HEADER_BYTES = 9;
const TAG_HEADER_BYTES = 11;
/** Length of the field after each tag, which holds the tag's size. */
const TAG_END_BYTES = 4;
const VIDEO_HEADER_BYTES = 5;
const VIDEO_TAG = 9;
const KEY_FRAME = 1;
const CONFIGURATION = 0;
const PICTURE = 1;

const START_CODE = Buffer.from([0, 0, 0, 1]);

/**
 * Reads the H.264 pictures of a Flash video. Unlike the bare stream, this format has the size of each picture in front. So a picture is
 * known to be complete before the next one begins.
 */
export class FlvVideo {
  #waiting: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  #configuration: Buffer | undefined;

  /** Returns the pictures that `chunk` completes. Throws when it is no Flash video with H.264. */
  push(chunk: Buffer): EncodedPicture[] {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    const pictures: EncodedPicture[] = [];
    if (!this.#hasBegun) {
      if (this.#waiting.length < FILE_HEADER_BYTES + TAG_END_BYTES) return pictures;
      if (this.#waiting.toString('latin1', 0, 3) !== 'FLV') throw new Error('this is no Flash video');
      this.#waiting = this.#waiting.subarray(FILE_HEADER_BYTES + TAG_END_BYTES);
      this.#hasBegun = true;
    }
    for (let tag = this.#nextTag(); tag !== undefined; tag = this.#nextTag()) {
      const picture = this.#read(tag);
      if (picture !== undefined) pictures.push(picture);
    }
    return pictures;
  }

  #nextTag(): { type: number; body: Buffer } | undefined {
    if (this.#waiting.length < TAG_HEADER_BYTES) return undefined;
    const bodyBytes = this.#waiting.readUIntBE(1, 3);
    const bytes = TAG_HEADER_BYTES + bodyBytes + TAG_END_BYTES;
    if (this.#waiting.length < bytes) return undefined;
    const type = this.#waiting[0] ?? 0;
    const body = Buffer.from(this.#waiting.subarray(TAG_HEADER_BYTES, TAG_HEADER_BYTES + bodyBytes));
    this.#waiting = this.#waiting.subarray(bytes);
    return { type, body };
  }

  #read({ type, body }: { type: number; body: Buffer }): EncodedPicture | undefined {
    if (type !== VIDEO_TAG || body.length <= VIDEO_HEADER_BYTES) return undefined;
    const content = body.subarray(VIDEO_HEADER_BYTES);
    if (body[1] === CONFIGURATION) this.#configuration = parameterSets(content);
    if (body[1] !== PICTURE) return undefined;
    const configuration = this.#configuration;
    this.#configuration = undefined;
    return { data: toAnnexB(content), isKey: (body[0] ?? 0) >> 4 === KEY_FRAME, configuration };
  }
}

/** Returns the parameter sets of an AVCDecoderConfigurationRecord, in the form of Annex B. */
function parameterSets(record: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = record.readUInt8(at++) & mask;
    for (let set = 0; set < count; set++) {
      const bytes = record.readUInt16BE(at);
      parts.push(START_CODE, record.subarray(at + 2, at + 2 + bytes));
      at += 2 + bytes;
    }
  }
  return Buffer.concat(parts);
}

/** Replaces the length in front of each unit by a start code. */
function toAnnexB(units: Buffer): Buffer {
  const data = Buffer.from(units);
  for (let at = 0; at + START_CODE.length <= data.length;) {
    const bytes = data.readUInt32BE(at);
    START_CODE.copy(data, at);
    at += START_CODE.length + bytes;
  }
  return data;
}
