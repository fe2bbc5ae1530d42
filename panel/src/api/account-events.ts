import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Job } from './client.ts';
import { whileVisible } from './while-visible.ts';

/** The lists that may change with each event. A list is named by the first part of its query's key. */
const CHANGED_BY: Record<string, readonly string[]> = {
  'device.state': ['devices', 'health', 'pools'],
  'job.finished': ['devices', 'jobs', 'groups', 'account', 'health', 'usage', 'pools', 'templates'],
  'health.problem': ['devices', 'health'],
  'health.resolved': ['devices', 'health'],
  'lease.begun': ['devices', 'leases', 'pools'],
  'lease.ended': ['devices', 'leases', 'pools'],
  'handover.begun': ['devices', 'handovers'],
  'handover.ended': ['devices', 'handovers', 'leases'],
  'recording.finished': ['recordings', 'account'],
  'app.crashed': ['crashes'],
  'app.not_responding': ['crashes'],
};

/**
 * How long events are collected before the lists that they change are fetched again, ms. A group on 200 phones makes hundreds of events.
 */
const COLLECT_MS = 300;
/**
 * The time after which the stream is opened again after a refusal, ms. A refusal ends an EventSource for good, whereas it opens a broken
 * connection again by itself.
 */
const REOPEN_MS = 5_000;
/**
 * The time between two polls of a list while the stream is open, ms. Minutes, labels and other things have no events, so polls are still
 * needed.
 */
const CALM_POLL_MS = 30_000;

/** Whether events come. This is no React state: the options of queries are constants, and read it at each fetch. */
let isStreaming = false;
const jobListeners = new Set<(job: Job) => void>();

/** Returns how often to poll lists whose changes have events: every `ms` while there is no stream of events, else rarely. */
export function pollWithoutEvents(ms: number): number {
  return isStreaming ? Math.max(ms, CALM_POLL_MS) : ms;
}

/** Calls `listener` with each job of the account that is finished, while events come. Returns the function that ends this. */
export function onJobFinished(listener: (job: Job) => void): () => void {
  jobListeners.add(listener);
  return () => jobListeners.delete(listener);
}

/**
 * Fetches lists again when an event says that they changed. One page of a browser does so in the background too, so that people who work in
 * another window hear of a phone that needs them.
 */
export function useAccountEvents(): void {
  const client = useQueryClient();
  useEffect(() => whileVisible(() => stream(client), { lock: 'cloudphone-events' }), [client]);
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
      // Changes may have happened before the first event of this stream.
      change(everything);
    });
    source.addEventListener('error', () => {
      if (isStreaming) change(everything);
      isStreaming = false;
      if (source.readyState !== EventSource.CLOSED) return;
      // The session may have ended. A window in the background does not poll the account, and would ask for the stream forever.
      change(['account']);
      reopening = setTimeout(open, REOPEN_MS);
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
