import type { ParameterSets } from './nal-units.js';

/** Units of time in a second: times in the files are milliseconds. */
const TIMESCALE = 1_000;

/** A box of an MP4 file: its length, its four-letter type, its content. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

/** A box that begins with a version and flags. */
function fullBox(type: string, version: number, flags: number, ...content: readonly Buffer[]): Buffer {
  return box(type, u32(version * 2 ** 24 + flags), ...content);
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeUInt16BE(value, 2 * index));
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const UNITY_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const ZEROS = (bytes: number): Buffer => Buffer.alloc(bytes);

export interface Picture extends ParameterSets {
  width: number;
  height: number;
}

/** The beginning of a file: its brands, and the description of its one track. `durationAt` is the place of its length, a u32 of ms. */
export function fileBeginning(picture: Picture): { bytes: Buffer; durationAt: number } {
  const brands = box('ftyp', Buffer.from('iso5\0\0\x02\0iso5iso6mp41avc1', 'latin1'));
  const movie = fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, TIMESCALE, 0, 0x10000),
    u16(0x100, 0),
    ZEROS(8),
    UNITY_MATRIX,
    ZEROS(24),
    u32(2),
  );
  const extends_ = box('mvex', fullBox('mehd', 0, 0, u32(0)), fullBox('trex', 0, 0, u32(1, 1, 0, 0, 0)));
  // The boxes before `mvex` end with the track, so the length in `mehd` has its place after three headers and a version.
  const track = trackOf(picture);
  const bytes = Buffer.concat([brands, box('moov', movie, track, extends_)]);
  return { bytes, durationAt: brands.length + 8 + movie.length + track.length + 8 + 12 };
}

function trackOf({ width, height, ...sets }: Picture): Buffer {
  const header = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, 1, 0, 0),
    ZEROS(16),
    UNITY_MATRIX,
    u32(width * 0x10000, height * 0x10000),
  );
  const media = fullBox('mdhd', 0, 0, u32(0, 0, TIMESCALE, 0), u16(0x55c4, 0));
  const handler = fullBox('hdlr', 0, 0, ZEROS(4), Buffer.from('vide'), ZEROS(12), Buffer.from('video\0'));
  const data = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)));
  const tables = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), sampleEntry({ width, height, ...sets })),
    fullBox('stts', 0, 0, u32(0)),
    fullBox('stsc', 0, 0, u32(0)),
    fullBox('stsz', 0, 0, u32(0, 0)),
    fullBox('stco', 0, 0, u32(0)),
  );
  return box('trak', header, box('mdia', media, handler, box('minf', fullBox('vmhd', 0, 1, ZEROS(8)), data, tables)));
}

function sampleEntry({ width, height, sequence, picture }: Picture): Buffer {
  const [, profile = 0, constraints = 0, level = 0] = sequence;
  const configuration = box(
    'avcC',
    // Lengths of four bytes, and one parameter set of each kind.
    Buffer.from([1, profile, constraints, level, 0xff, 0xe1]),
    u16(sequence.length),
    sequence,
    Buffer.from([1]),
    u16(picture.length),
    picture,
    // The high profiles describe their colours here. Phones encode 4:2:0 with 8 bits alone.
    Buffer.from(HIGH_PROFILES.has(profile) ? [0xfd, 0xf8, 0xf8, 0] : []),
  );
  return box(
    'avc1',
    ZEROS(6),
    u16(1),
    ZEROS(16),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    ZEROS(32),
    u16(24, 0xffff),
    configuration,
  );
}

const HIGH_PROFILES = new Set([100, 110, 122, 144]);

/** A picture in a fragment. */
export interface Sample {
  data: Buffer;
  isKey: boolean;
  durationMs: number;
}

/** Flags of a sample: decoders can begin at a key frame, and at no other one. */
const KEY_SAMPLE = 0x02000000;
const OTHER_SAMPLE = 0x01010000;
/** What the table of samples has: where the data is, and each sample's duration, size and flags. */
const TABLE_FLAGS = 0x701;

/** A fragment. `durationAt` is the place of the duration of its last sample, a u32 of ms. */
export function fragmentOf(
  number: number,
  beganMs: number,
  samples: readonly Sample[],
): { bytes: Buffer; durationAt: number } {
  const rows = samples.map(({ data, isKey, durationMs }) =>
    u32(durationMs, data.length, isKey ? KEY_SAMPLE : OTHER_SAMPLE),
  );
  const moof = (dataAt: number): Buffer =>
    box(
      'moof',
      fullBox('mfhd', 0, 0, u32(number)),
      box(
        'traf',
        // Places are counted from the beginning of the fragment.
        fullBox('tfhd', 0, 0x20000, u32(1)),
        fullBox('tfdt', 1, 0, u64(beganMs)),
        fullBox('trun', 0, TABLE_FLAGS, u32(samples.length, dataAt), ...rows),
      ),
    );
  const header = moof(moof(0).length + 8);
  const bytes = Buffer.concat([header, box('mdat', ...samples.map(({ data }) => data))]);
  return { bytes, durationAt: header.length - 12 };
}
