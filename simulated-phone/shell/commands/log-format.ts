import type { LogLine } from '../../system/system.js';
import { formatDate } from '../format-date.js';

const FORMATS = ['brief', 'process', 'tag', 'thread', 'raw', 'time', 'threadtime', 'long'];

/**
 * Formats and their modifiers. Modifiers for colours and printable characters change nothing here: colours are for terminals, and texts are
 * printed as they are.
 */
export const FORMAT_WORDS: ReadonlySet<string> = new Set([
  ...FORMATS, 'color', 'colour', 'descriptive', 'epoch', 'monotonic', 'nsec', 'printable', 'uid', 'usec', 'UTC', 'year', 'zone',
]); // prettier-ignore

/**
 * Returns the function that formats lines of logcat, and ends each with a line feed. A message of several lines becomes several lines.
 * `style` holds a format and its modifiers.
 */
export function logFormatter(style: readonly string[], zone: string): (line: LogLine) => string {
  const format = FORMATS.find((name) => style.includes(name)) ?? 'threadtime';
  const shiftMs = zoneShifter(zone);
  return (line) => formatLine(line, { format, style, stamp: (timeMs) => stamp(timeMs, style, zone, shiftMs) });
}

interface LineLayout {
  format: string;
  style: readonly string[];
  stamp: (timeMs: number) => string;
}

function formatLine(line: LogLine, { format, style, stamp }: LineLayout): string {
  const time = (): string => stamp(line.timeMs);
  const { priority, tag, pid, tid } = line;
  const head = {
    brief: () => `${priority}/${tag.padEnd(8)}(${String(pid).padStart(5)}): `,
    process: () => `${priority}(${String(pid).padStart(5)}) `,
    tag: () => `${priority}/${tag.padEnd(8)}: `,
    thread: () => `${priority}(${String(pid).padStart(5)}:${String(tid).padStart(5)}) `,
    raw: () => '',
    time: () => `${time()} ${priority}/${tag.padEnd(8)}(${String(pid).padStart(5)}): `,
    threadtime: () =>
      `${time()} ${style.includes('uid') ? ' 1000 ' : ''}${String(pid).padStart(5)} ${String(tid).padStart(5)} ${priority} ${tag.padEnd(8)}: `,
    long: () => `[ ${time()} ${String(pid).padStart(5)}:${String(tid).padStart(5)} ${priority}/${tag} ]\n`,
  }[format];
  const prefix = head?.() ?? '';
  if (format === 'long') return `${prefix}${line.message}\n\n`;
  const tail = format === 'process' ? `  (${tag})` : '';
  return line.message
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => `${prefix}${text}${tail}\n`)
    .join('');
}

function stamp(timeMs: number, style: readonly string[], zone: string, shiftMs: (timeMs: number) => number): string {
  const fraction = style.includes('nsec') ? '000000' : style.includes('usec') ? '000' : '';
  const millis = String(Math.floor(timeMs % 1000)).padStart(3, '0') + fraction;
  if (style.includes('epoch')) return `${String(Math.floor(timeMs / 1000)).padStart(19)}.${millis}`;
  const shift = style.includes('UTC') ? 0 : shiftMs(timeMs);
  const local = new Date(timeMs + shift).toISOString();
  const date = style.includes('year') ? local.slice(0, 10) : local.slice(5, 10);
  const zoneText = style.includes('zone') ? ` ${formatDate('%z', timeMs, zone)}` : '';
  return `${date} ${local.slice(11, 19)}.${millis}${zoneText}`;
}

/**
 * Returns a function that returns the offset of a zone. It keeps the last offset, as lines near each other have the same. Computing an
 * offset costs far more than the rest of a line.
 */
function zoneShifter(zone: string): (timeMs: number) => number {
  let last: { quarter: number; shiftMs: number } | undefined;
  return (timeMs) => {
    const quarter = Math.floor(timeMs / 900_000);
    if (last?.quarter !== quarter) last = { quarter, shiftMs: zoneShiftMs(timeMs, zone) };
    return last.shiftMs;
  };
}

function zoneShiftMs(timeMs: number, zone: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d)(\d\d)$/.exec(formatDate('%z', timeMs, zone)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Parses the time of `-t '01-20 15:00:00.0'`, also with a year, or seconds since the epoch. Undefined for another text. */
export function lineDate(text: string, nowMs: number, zone: string): number | undefined {
  if (/^\d+\.\d+$/.test(text)) return Number(text) * 1000;
  const match = /^(?:(\d{4})-)?(\d\d?)-(\d\d?) (\d\d?):(\d\d):(\d\d)(?:\.(\d+))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0'] = match;
  const shiftMs = zoneShiftMs(nowMs, zone);
  const thisYear = new Date(nowMs + shiftMs).getUTCFullYear();
  const localMs = Date.UTC(Number(year ?? thisYear), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)); // prettier-ignore
  return localMs - shiftMs + Number(`0.${fraction}`) * 1000;
}
