import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../kit/async/clock.js';
import { Abandoned } from './shared-runs.js';

/** Metrics of pictures and trees. Each method times a piece of work and returns its result. */
export interface ScreenMetrics {
  capture<T>(work: () => Promise<T>): Promise<T>;
  /** Times the reading of a tree. The outcome is `busy` when there was no tree, as the screen was never idle. */
  tree<T extends { tree: unknown }>(work: () => Promise<T>): Promise<T>;
  encode<T>(format: 'png' | 'jpeg', work: () => Promise<T>): Promise<T>;
  /** Counts a screenshot that cost no capture, as the phone had pushed its frame, or as it had been captured for viewers. */
  pushed(): void;
  /** Counts a viewer that came (1) or left (-1). */
  viewer(change: 1 | -1): void;
  /** Counts a frame that went to a viewer. */
  frame(bytes: number): void;
}

export function screenMetrics(options: {
  metrics: Registry;
  clock: Clock;
  /** Number of phone sessions. */
  sessions: () => number;
  /** Number of phone sessions on which a resident server runs. Absent: none. */
  residentServers?: () => number;
}): ScreenMetrics {
  const { metrics, clock, sessions, residentServers = () => 0 } = options;
  const registers = [metrics];
  new Gauge({
    name: 'screen_phone_sessions',
    help: 'Phones that the screen service keeps connected',
    registers,
    collect() {
      this.set(sessions());
    },
  });
  new Gauge({
    name: 'screen_resident_servers',
    help: 'Phones on which a UiAutomator2 server of the screen service runs; trees of the others are dumped',
    registers,
    collect() {
      this.set(residentServers());
    },
  });
  const captures = new Histogram({
    name: 'screen_capture_duration_seconds',
    help: 'Time to get a picture of its screen from a phone; callers at the same time share one',
    labelNames: ['outcome'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 3, 10],
    registers,
  });
  const trees = new Histogram({
    name: 'screen_tree_duration_seconds',
    help: 'Time to get the tree of its screen from a phone; callers at the same time share one',
    labelNames: ['outcome'],
    buckets: [0.05, 0.2, 0.5, 1, 2, 4, 8],
    registers,
  });
  const encodings = new Histogram({
    name: 'screen_encode_duration_seconds',
    help: 'Time to make a PNG or JPEG of a picture, waiting for a processor included',
    labelNames: ['format', 'outcome'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
    registers,
  });
  const pushed = new Counter({
    name: 'screen_pushed_frames_used_total',
    help: 'Screenshots made of a frame that the phone had pushed or that viewers got, without a capture',
    registers,
  });
  const viewers = new Gauge({ name: 'screen_viewers', help: 'Streams that watch a screen live', registers });
  const frames = new Counter({
    name: 'screen_live_frames_total',
    help: 'Frames that went to viewers of live screens',
    registers,
  });
  const frameBytes = new Counter({
    name: 'screen_live_frame_bytes_total',
    help: 'Bytes of the images that went to viewers of live screens',
    registers,
  });
  // The series start at 0, so that the first failure shows as an increase and not as a new series.
  for (const outcome of ['ok', 'failed']) captures.zero({ outcome });
  const timed = async <T>(
    work: () => Promise<T>,
    done: (seconds: number, outcome: 'ok' | 'failed' | 'abandoned', result?: T) => void,
  ): Promise<T> => {
    const beganMs = clock.monotonicMs();
    const seconds = (): number => (clock.monotonicMs() - beganMs) / 1_000;
    try {
      const result = await work();
      done(seconds(), 'ok', result);
      return result;
    } catch (error) {
      done(seconds(), error instanceof Abandoned ? 'abandoned' : 'failed');
      throw error;
    }
  };
  return {
    capture: (work) => timed(work, (seconds, outcome) => captures.observe({ outcome }, seconds)),
    tree: (work) =>
      timed(work, (seconds, outcome, dump) => {
        const hasNone = dump !== undefined && dump.tree === undefined;
        trees.observe({ outcome: hasNone ? 'busy' : outcome }, seconds);
      }),
    encode: (format, work) => timed(work, (seconds, outcome) => encodings.observe({ format, outcome }, seconds)),
    pushed: () => pushed.inc(),
    viewer: (change) => viewers.inc(change),
    frame: (bytes) => {
      frames.inc();
      frameBytes.inc(bytes);
    },
  };
}
