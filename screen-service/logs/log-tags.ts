import { type LogLetter, logLetters, type LogLine } from './log-line.js';

/** Tags of a log; of each, lines of this level and of more serious ones. */
export type LogTags = readonly (readonly [tag: string, level: LogLetter])[];

export function hasTag(tags: LogTags, { tag, level }: Pick<LogLine, 'tag' | 'level'>): boolean {
  const least = tags.find(([name]) => name === tag)?.[1];
  return least !== undefined && logLetters.indexOf(level) >= logLetters.indexOf(least);
}

/** Returns the tags as arguments of logcat, which then prints no other lines. */
export function tagArguments(tags: LogTags): string {
  return [...tags.map(([tag, level]) => `${tag}:${level}`), "'*:S'"].join(' ');
}
