/** One line of the phone's log. */
export interface LogLine {
  /** ms since the epoch. */
  timeMs: number;
  pid: number;
  tid: number;
  /** V, D, I, W, E or F. */
  level: LogLetter;
  tag: string;
  message: string;
}

export type LogLetter = 'V' | 'D' | 'I' | 'W' | 'E' | 'F';

/** The levels, the least serious first. */
export const logLetters: readonly LogLetter[] = ['V', 'D', 'I', 'W', 'E', 'F'];

/** The lines that are wanted. */
export interface LogFilter {
  /** Lines of this level and of more serious ones. */
  level: LogLetter | undefined;
  /** Lines with exactly this tag. */
  tag: string | undefined;
  /** Lines that were written then or later, ms since the epoch. */
  sinceMs: number | undefined;
}

export function passes({ level, tag, sinceMs }: LogFilter, line: LogLine): boolean {
  return (
    (level === undefined || logLetters.indexOf(line.level) >= logLetters.indexOf(level)) &&
    (tag === undefined || line.tag === tag) &&
    (sinceMs === undefined || line.timeMs >= sinceMs)
  );
}
