import type { LogLetter, LogLine } from './log-line.js';

/** `11-20 18:10:36.123  1234  1240 I Tag   : message`. The pid and tid have padding blanks before them, the tag has them after it. */
const LINE = /^(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})\s+(\d+)\s+(\d+) ([VDIWEFA]) (.*)$/;

/** Longest message that is kept, characters; Android itself cuts at 4 KB. */
const MAX_MESSAGE = 8_192;

/** Parses one line in threadtime format. Undefined when it has another form, such as `--------- beginning of main`. */
export function parseThreadtime(
  line: string,
  timeOf: (month: number, day: number, msOfDay: number) => number,
): LogLine | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, ms = 0, pid = 0, tid = 0] = match
    .slice(1, 9)
    .map(Number);
  const rest = match[10] ?? '';
  // A tag may hold a colon of its own. It ends at the first colon that a blank or the end of the line follows.
  const colon = rest.search(/: |:$/);
  if (colon < 0) return undefined;
  return {
    timeMs: timeOf(month, day, ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms),
    pid,
    tid,
    level: (match[9] === 'A' ? 'F' : match[9]) as LogLetter,
    tag: rest.slice(0, colon).trimEnd(),
    message: rest.slice(colon + 2, colon + 2 + MAX_MESSAGE),
  };
}
