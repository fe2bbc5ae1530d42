import { ApiError } from '../../kit/errors/api-error.js';

/** Types of NAL units that are no part of a sample in an MP4 file: its description has the parameter sets, and its tables the limits. */
const SEQUENCE_PARAMETERS = 7;
const PICTURE_PARAMETERS = 8;
const DELIMITER = 9;

/** The parameter sets of a video, each a NAL unit without a start code. */
export interface ParameterSets {
  sequence: Buffer;
  picture: Buffer;
}

/** Returns the parameter sets in a configuration in the form of Annex B. Throws where one is missing. */
export function parameterSetsOf(configuration: Buffer): ParameterSets {
  const units = nalUnits(configuration);
  const sequence = units.find((unit) => typeOf(unit) === SEQUENCE_PARAMETERS);
  const picture = units.find((unit) => typeOf(unit) === PICTURE_PARAMETERS);
  if (sequence === undefined || sequence.length < 4 || picture === undefined)
    throw new Error('a configuration without its parameter sets');
  return { sequence, picture };
}

/** Returns an access unit in the form of MP4 files: each NAL unit has its length in front, and parameter sets are left out. */
export function toSample(accessUnit: Buffer): Buffer {
  const units = nalUnits(accessUnit).filter(
    (unit) => ![SEQUENCE_PARAMETERS, PICTURE_PARAMETERS, DELIMITER].includes(typeOf(unit)),
  );
  const sample = Buffer.alloc(units.reduce((bytes, unit) => bytes + LENGTH_BYTES + unit.length, 0));
  let at = 0;
  for (const unit of units) {
    at = sample.writeUInt32BE(unit.length, at);
    at += unit.copy(sample, at);
  }
  return sample;
}

const LENGTH_BYTES = 4;

/** Most NAL units of an access unit or a configuration. An encoder of a phone makes a few; each costs time and memory. */
const MAX_UNITS = 1_000;

/**
 * Returns the NAL units of bytes in the form of Annex B, without their start codes and the zeros after them. Nothing is copied. Throws
 * unavailable for more than MAX_UNITS of them, which no encoder makes.
 */
export function nalUnits(bytes: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = bytes.indexOf(START_CODE); at >= 0;) {
    const begin = at + START_CODE.length;
    const next = bytes.indexOf(START_CODE, begin);
    let end = next < 0 ? bytes.length : next;
    // A NAL unit never ends with a zero, so zeros here belong to a longer start code or are filling.
    while (end > begin && bytes[end - 1] === 0) end--;
    if (end > begin) units.push(bytes.subarray(begin, end));
    if (units.length > MAX_UNITS) throw new ApiError('unavailable', 'The phone sends a video that cannot be stored.');
    at = next;
  }
  return units;
}

const START_CODE = Buffer.from([0, 0, 1]);

function typeOf(unit: Buffer): number {
  return (unit[0] ?? 0) & 31;
}
