import { useEffect, useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { whileVisible } from '../../../api/while-visible.ts';

export type Level = Schemas['LogLine']['level'];

/** How many lines come first. */
export const FIRST_LINES = 400;
/** How many lines are shown. */
const MAX_SHOWN = 2_000;
/** How long lines are collected before they are shown, ms. A busy phone writes hundreds in a second. */
const COLLECT_MS = 100;

/** The time after which a stream that was refused is opened again, ms: the phone was off. */
const REOPEN_MS = 5_000;

/** A line, or the number of lines that this browser was too slow for. */
export type Entry = { key: number } & (Schemas['LogLine'] | { lost: number });

/** A device's log: where it is, and which of its lines are wanted. An empty tag stands for all. */
export interface LogSource {
  device: string;
  level: Level;
  tag: string;
}

/**
 * Returns the log as it is written, while `follows` holds, and then as it was. Returns undefined while no stream is open, as for a phone
 * that does not run. A stream that opens again begins anew.
 */
export function useFollowedLog({ device, level, tag }: LogSource, follows: boolean): readonly Entry[] | undefined {
  const query = new URLSearchParams({ level, since_lines: String(FIRST_LINES), ...(tag !== '' && { tag }) });
  const url = `/v1/devices/${encodeURIComponent(device)}/logs/stream?${query.toString()}`;
  const [shown, show] = useState<{ url: string; entries: readonly Entry[] | undefined }>();
  useEffect(
    () => (follows ? whileVisible(() => stream(url, (entries) => show({ url, entries }))) : undefined),
    [url, follows],
  );
  return shown?.url === url ? shown.entries : undefined;
}

function stream(url: string, show: (entries: readonly Entry[] | undefined) => void): () => void {
  let source: EventSource;
  let entries: Entry[] = [];
  let key = 0;
  let collecting: ReturnType<typeof setTimeout> | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  const forget = (): void => {
    clearTimeout(collecting);
    collecting = undefined;
    entries = [];
  };
  const add = (entry: Schemas['LogLine'] | { lost: number }): void => {
    entries.push({ ...entry, key: key++ });
    collecting ??= setTimeout(() => {
      collecting = undefined;
      entries = entries.slice(-MAX_SHOWN);
      show([...entries]);
    }, COLLECT_MS);
  };
  const open = (): void => {
    source = new EventSource(url);
    source.addEventListener('open', () => {
      forget();
      show([]);
    });
    source.addEventListener('error', () => {
      forget();
      show(undefined);
      if (source.readyState === EventSource.CLOSED) reopening = setTimeout(open, REOPEN_MS);
    });
    source.addEventListener('log', ({ data }: MessageEvent<string>) => add(JSON.parse(data) as Schemas['LogLine']));
    source.addEventListener('lost', ({ data }: MessageEvent<string>) =>
      add({ lost: (JSON.parse(data) as { lines: number }).lines }),
    );
  };
  open();
  return () => {
    source.close();
    clearTimeout(reopening);
    clearTimeout(collecting);
  };
}
