/** Formats a time with the directives of strftime that Android's tools use. `timeZone`: an IANA name; an unknown one counts as UTC. */
export function formatDate(format: string, timeMs: number, timeZone: string): string {
  const parts = partsOf(timeMs, timeZone);
  const values: Record<string, string> = {
    Y: parts.year,
    y: parts.year.slice(2),
    m: parts.month,
    d: parts.day,
    e: String(Number(parts.day)).padStart(2),
    H: parts.hour,
    M: parts.minute,
    S: parts.second,
    N: `${String(Math.floor(timeMs % 1000)).padStart(3, '0')}000000`,
    s: String(Math.floor(timeMs / 1000)),
    a: parts.weekday,
    b: MONTHS[Number(parts.month) - 1] ?? '',
    Z: parts.zone,
    z: parts.offset,
    F: `${parts.year}-${parts.month}-${parts.day}`,
    T: `${parts.hour}:${parts.minute}:${parts.second}`,
    n: '\n',
    '%': '%',
  };
  return format.replace(/%([a-zA-Z%])/g, (whole, directive: string) => values[directive] ?? whole);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function partsOf(
  timeMs: number,
  timeZone: string,
): Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'weekday' | 'zone' | 'offset', string> {
  // prettier-ignore
  const options = {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    weekday: 'short', timeZoneName: 'longOffset', hourCycle: 'h23',
  } as const; // prettier-ignore
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone });
  } catch {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
  }
  const found = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type as string, value]));
  const part = (name: string): string => found.get(name) ?? '';
  const offset = part('timeZoneName').replace('GMT', '').replace(':', '') || '+0000';
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
    weekday: part('weekday'),
    zone: offset === '+0000' ? 'GMT' : `GMT${offset.slice(0, 3)}:${offset.slice(3)}`,
    offset,
  };
}
