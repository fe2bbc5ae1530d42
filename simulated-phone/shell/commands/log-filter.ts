import type { LogLine, LogPriority } from '../../system/system.js';
import { CommandFailure } from '../command.js';

const ORDER = ['V', 'D', 'I', 'W', 'E', 'F', 'S'];

/**
 * Parses `TAG:PRIORITY` words. Without words all lines pass. `*` sets the priority of tags that no word names; with `silent`, lines of such
 * tags do not pass.
 */
export function parseLogFilter(words: readonly string[], options: { silent: boolean }): (line: LogLine) => boolean {
  const levels = new Map<string, number>();
  for (const word of words) {
    const clean = word.replaceAll("'", '').trim();
    if (clean === '') continue;
    const colon = clean.lastIndexOf(':');
    const tag = colon < 0 ? clean : clean.slice(0, colon);
    const letter = colon < 0 ? (tag === '*' ? 'D' : 'V') : clean.slice(colon + 1).toUpperCase();
    const level = ORDER.indexOf(letter === '*' ? 'V' : letter);
    if (level < 0 || tag === '') throw new CommandFailure(`Invalid filter expression '${word}'`);
    levels.set(tag, level);
  }
  const others = levels.get('*') ?? (options.silent ? ORDER.length : 0);
  return ({ tag, priority }) => priorityLevel(priority) >= (levels.get(tag) ?? others);
}

function priorityLevel(priority: LogPriority): number {
  return ORDER.indexOf(priority);
}
