import type { ListedEntry } from '../../store/timeline.js';

/** How many lines of changed elements the text of an entry has, as agents pay for each line. */
const CHANGED_LINES = 8;

/** Returns entries as text, one after the other. Each has one line about what was done, and below it what changed on the screen. */
export function timelineText(entries: readonly ListedEntry[]): string {
  return entries.map((entry) => `${entryText(entry)}\n`).join('');
}

function entryText({
  at,
  key,
  kind,
  request,
  outcome,
  durationMs,
  app,
  changed = '',
  settled,
  message,
}: ListedEntry): string {
  const facts = [
    `${outcome} in ${durationMs} ms`,
    ...(settled === false ? ['the screen was not still'] : []),
    ...(app === '' ? [] : [app]),
    ...(message === undefined ? [] : [message]),
  ];
  const lines = changed === '' ? [] : changed.split('\n');
  const shown = lines.slice(0, CHANGED_LINES);
  if (lines.length > shown.length) shown.push(`and ${lines.length - shown.length} more`);
  // The JSON of a request has \n for a line feed, so only the first line of an entry is not indented.
  const head = oneLine(`${at.toISOString()} ${key}: ${kind} ${request} -> ${facts.join(', ')}`);
  return [head, ...shown.map((line) => `  ${line}`)].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
