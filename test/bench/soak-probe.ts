import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The response of a measured process to each message. */
export interface SoakSample {
  /** The size of the heap after a garbage collection, bytes. */
  heapBytes: number;
  arrayBufferBytes: number;
  rssBytes: number;
  /** The delay of the event loop since the sample before. */
  eventLoopP99Ms: number;
}

// Loaded into the process of the service with `--import`, as memory after a collection cannot be read from outside.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** The histogram counts from timer to timer: an idle process reads this interval, and it is no delay. */
const RESOLUTION_MS = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on('message', () => {
  const eventLoopP99Ms = delay.percentile(99) / 1e6 - RESOLUTION_MS;
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const sample: SoakSample = { heapBytes: heapUsed, arrayBufferBytes: arrayBuffers, rssBytes: rss, eventLoopP99Ms };
  process.send?.(sample);
  // The collections are the probe's own delay.
  setImmediate(() => delay.reset());
});
// The channel alone must not keep the service from ending.
process.channel?.unref();
