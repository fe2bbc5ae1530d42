import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Job } from './client.ts';

/** The lists that may change with an event, by the first part of their query's key. */
const CHANGED_BY: Record<string, readonly string[]> = {
  'device.state': ['devices', 'health'],
  'job.finished': ['devices', 'jobs', 'groups', 'account', 'health', 'usage'],
  'health.problem': ['devices', 'health'],
  'health.resolved': ['devices', 'health'],
};

/** How long events are collected before the lists that they change are fetched again, ms: a group on 200 phones makes hundreds. */
const COLLECT_MS = 300;
/** When the stream is opened again after a refusal, which ends an EventSource for good, ms. A broken connection it opens again itself. */
const REOPEN_MS = 5_000;
/** How often lists are polled while the stream is open, ms: minutes, labels and other things have no events. */
const CALM_POLL_MS = 30_000;

/** Whether events come. Not in React: the options of queries, which are constants, ask for it at each fetch. */
let isStreaming = false;
const jobListeners = new Set<(job: Job) => void>();

/** How often to poll what events announce: every `ms` while there is no stream of events, else rarely. */
export function pollWithoutEvents(ms: number): number {
  return isStreaming ? Math.max(ms, CALM_POLL_MS) : ms;
}

/** Notifies of each job of the account that is finished, while events come. Returns the function that ends this. */
export function onJobFinished(listener: (job: Job) => void): () => void {
  jobListeners.add(listener);
  return () => jobListeners.delete(listener);
}

/**
 * Fetches lists again when an event says that they changed. The stream is open only while the page is in sight: a browser has six connections to
 * a server over HTTP/1.1, which tabs in the background would take from the one that is used.
 */
export function useAccountEvents(): void {
  const client = useQueryClient();
  useEffect(() => streamWhileVisible(client), [client]);
}

function streamWhileVisible(client: QueryClient): () => void {
  let close: (() => void) | undefined;
  const follow = (): void => {
    if (document.visibilityState === 'visible') close ??= stream(client);
    else {
      close?.();
      close = undefined;
    }
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close?.();
  };
}

function stream(client: QueryClient): () => void {
  const changed = new Set<string>();
  let collecting: ReturnType<typeof setTimeout> | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource;

  const refresh = (): void => {
    collecting = undefined;
    for (const key of changed) void client.invalidateQueries({ queryKey: [key] });
    changed.clear();
  };
  const change = (keys: readonly string[]): void => {
    for (const key of keys) changed.add(key);
    collecting ??= setTimeout(refresh, COLLECT_MS);
  };
  const everything = Object.values(CHANGED_BY).flat();
  const open = (): void => {
    source = new EventSource('/v1/events');
    source.addEventListener('open', () => {
      isStreaming = true;
      // What happened before the first event of this stream.
      change(everything);
    });
    source.addEventListener('error', () => {
      if (isStreaming) change(everything);
      isStreaming = false;
      if (source.readyState === EventSource.CLOSED) reopening = setTimeout(open, REOPEN_MS);
    });
    for (const [type, keys] of Object.entries(CHANGED_BY))
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        change(keys);
        if (type !== 'job.finished') return;
        const { job } = JSON.parse(data) as { job: Job };
        for (const listener of jobListeners) listener(job);
      });
  };
  open();
  return () => {
    isStreaming = false;
    source.close();
    clearTimeout(reopening);
    clearTimeout(collecting);
  };
}
