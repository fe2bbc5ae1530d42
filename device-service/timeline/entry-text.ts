import type { ListedEntry } from '../store/timeline.js';

/** Lines of changed elements that the text of an entry has; agents pay for each. */
const CHANGED_LINES = 8;

/** Entries as text, one after the other: what was done in one line, and below it what changed on the screen. */
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
  // A line feed of a request is \n in its JSON, so an entry begins wherever a line is not indented.
  const head = oneLine(`${at.toISOString()} ${key}: ${kind} ${request} -> ${facts.join(', ')}`);
  return [head, ...shown.map((line) => `  ${line}`)].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
