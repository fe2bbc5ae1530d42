import { Counter, Gauge, type Registry } from 'prom-client';
import type { RecordingEnd } from '../store/recordings.js';

/** Metrics of recordings, for the operator. */
export interface RecordingMetrics {
  /** Counts a recording that has ended. */
  ended(state: RecordingEnd['state']): void;
  /** Counts bytes that were written. */
  wrote(bytes: number): void;
}

const STATES: readonly RecordingEnd['state'][] = ['ready', 'interrupted', 'failed'];

export function recordingMetrics(metrics: Registry, underWay: () => number): RecordingMetrics {
  const registers = [metrics];
  new Gauge({
    name: 'recordings_under_way',
    help: 'Recordings that this instance makes now',
    registers,
    collect() {
      this.set(underWay());
    },
  });
  const ended = new Counter({
    name: 'recordings_ended_total',
    help: 'Recordings of this host that have ended, by how they did',
    labelNames: ['state'],
    registers,
  });
  // The series start at 0, so that the first failure shows as an increase and not as a new series.
  for (const state of STATES) ended.inc({ state }, 0);
  const bytes = new Counter({
    name: 'recording_written_bytes_total',
    help: 'Bytes of recordings that were written to the disk of this host',
    registers,
  });
  return { ended: (state) => ended.inc({ state }), wrote: (count) => bytes.inc(count) };
}
