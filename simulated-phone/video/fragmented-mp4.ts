/** The ticks per second of the times in the file. */
const TICKS = 90_000;

/** One encoded picture: an access unit in the format of Annex B. */
interface Sample {
  data: Buffer;
  isKey: boolean;
  durationMs: number;
}

/**
 * Writes H.264 as an MP4 in fragments, one for each picture. No part is rewritten later. So the file can be read up to the last picture
 * wherever the recording ends.
 */
export class FragmentedMp4 {
  #sequence = 0;
  #time = 0;

  /** Returns the beginning of the file. `configuration`: the parameter sets, in the form of Annex B. */
  header(size: { width: number; height: number }, configuration: Buffer): Buffer {
    const brands = Buffer.from('isom\0\0\x02\0isomiso5avc1mp41', 'latin1');
    return Buffer.concat([box('ftyp', brands), box('moov', movieHeader(), track(size, configuration), box('mvex', trackExtends()))]); // prettier-ignore
  }

  fragment({ data, isKey, durationMs }: Sample): Buffer {
    const sample = withLengths(data);
    const ticks = Math.max(1, Math.round((durationMs / 1_000) * TICKS));
    const flags = isKey ? 0x0200_0000 : 0x0101_0000;
    const moof = (offset: number): Buffer => {
      const run = full('trun', 0, 0x000701, numbers(1, offset, ticks, sample.length, flags));
      const traf = box('traf', full('tfhd', 0, 0x020000, numbers(1)), full('tfdt', 1, 0, long(this.#time)), run);
      return box('moof', full('mfhd', 0, 0, numbers(this.#sequence + 1)), traf);
    };
    const fragment = Buffer.concat([moof(moof(0).length + 8), box('mdat', sample)]);
    this.#sequence++;
    this.#time += ticks;
    return fragment;
  }
}

function movieHeader(): Buffer {
  return full('mvhd', 0, 0, numbers(0, 0, TICKS, 0, 0x10000), Buffer.from([1, 0]), Buffer.alloc(10), MATRIX, Buffer.alloc(24), numbers(2)); // prettier-ignore
}

function track({ width, height }: { width: number; height: number }, configuration: Buffer): Buffer {
  const head = full('tkhd', 0, 3, numbers(0, 0, 1, 0, 0), Buffer.alloc(16), MATRIX, numbers(width * 0x10000, height * 0x10000)); // prettier-ignore
  const mediaHead = full('mdhd', 0, 0, numbers(0, 0, TICKS, 0), Buffer.from([0x55, 0xc4, 0, 0]));
  const handler = full('hdlr', 0, 0, numbers(0), Buffer.from('vide'), Buffer.alloc(12), Buffer.from('VideoHandler\0'));
  const source = box('dinf', full('dref', 0, 0, numbers(1), full('url ', 0, 1)));
  const description = box('avc1', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), Buffer.alloc(16), shorts(width, height), numbers(0x480000, 0x480000, 0), shorts(1), Buffer.alloc(32), shorts(24, 0xffff), decoder(configuration)); // prettier-ignore
  const table = box('stbl', full('stsd', 0, 0, numbers(1), description), full('stts', 0, 0, numbers(0)), full('stsc', 0, 0, numbers(0)), full('stsz', 0, 0, numbers(0, 0)), full('stco', 0, 0, numbers(0))); // prettier-ignore
  const information = box('minf', full('vmhd', 0, 1, Buffer.alloc(8)), source, table);
  return box('trak', head, box('mdia', mediaHead, handler, information));
}

function trackExtends(): Buffer {
  return full('trex', 0, 0, numbers(1, 1, 0, 0, 0));
}

/** Returns the parameter sets in the form that decoders read. */
function decoder(configuration: Buffer): Buffer {
  const units = unitsOf(configuration);
  const ofType = (type: number): Buffer[] => units.filter((unit) => ((unit[0] ?? 0) & 0x1f) === type);
  const [sequence = Buffer.alloc(4)] = ofType(7);
  const [picture = Buffer.alloc(0)] = ofType(8);
  const head = Buffer.from([1, sequence[1] ?? 0, sequence[2] ?? 0, sequence[3] ?? 0, 0xff, 0xe1]);
  return box('avcC', head, shorts(sequence.length), sequence, Buffer.from([1]), shorts(picture.length), picture);
}

/** Returns the units, each with its length in front instead of a start code. */
function withLengths(data: Buffer): Buffer {
  return Buffer.concat(unitsOf(data).flatMap((unit) => [numbers(unit.length), unit]));
}

/** Returns the units between the start codes. */
function unitsOf(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  const code = Buffer.from([0, 0, 1]);
  for (let at = data.indexOf(code); at >= 0;) {
    const start = at + code.length;
    at = data.indexOf(code, start);
    let end = at < 0 ? data.length : at;
    while (at >= 0 && end > start && data[end - 1] === 0) end--;
    units.push(data.subarray(start, end));
  }
  return units;
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([numbers(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

function full(type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, numbers(version * 0x1000000 + flags), ...parts);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, at * 2);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** The matrix of a picture that is neither turned nor scaled. */
const MATRIX = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
