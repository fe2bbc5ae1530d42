/** What happened to an app, in the words of the contract. */
export type CrashKindWord = 'java' | 'native' | 'anr';

/** A crash that the log of a phone shows. */
export interface FoundCrash {
  kind: CrashKindWord;
  /** Name of the process, such as `com.example:sync`. */
  process: string;
  package: string;
  /** Why, in one line; at most MAX_REASON_CHARS. */
  reason: string;
  /** Lines of the log, at most MAX_TRACE_BYTES of UTF-8. */
  trace: string;
  /** The time of its first line, ms since the epoch. */
  atMs: number;
  /** Whether the process is known to have had the app in front. */
  wasInFront: boolean;
}

/** Longest reason, characters. */
export const MAX_REASON_CHARS = 500;

/** Longest trace, bytes of UTF-8. */
export const MAX_TRACE_BYTES = 65_536;

/** Returns the reason within its bound, without half of a surrogate pair at its end. */
export function cutReason(reason: string): string {
  const text = reason.trim();
  return text.length <= MAX_REASON_CHARS ? text : text.slice(0, MAX_REASON_CHARS).replace(/[\ud800-\udbff]$/, '');
}
