import type { Client } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import { type FreeSpace, freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { type PeriodicTask, Wakeup } from '../../kit/ops/periodic-tasks.js';
import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import { RecordingService } from '../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import type { RecorderService } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import type { Devices } from '../devices/open-devices.js';
import { PUBLISH_AGAIN_MS, PUBLISH_FIRST_MS } from '../history/limits.js';
import { RecordingFiles } from './files/recording-files.js';
import { DEFAULT_KEPT_MS, SWEEP_LEFT_MS, SWEEP_RECORDINGS_MS } from './limits.js';
import { recordingMetrics } from './metrics.js';
import { publishRecordings } from './publish-recordings.js';
import { Recorders } from './recorders.js';
import { RecordingCalls } from './recording-calls.js';
import type { RecordingsContext } from './recordings-context.js';
import { recordingRpc } from './rpc/recording-rpc.js';
import { sweepLeft, sweepRecordings } from './sweep-recordings.js';

export interface RecordingsOptions {
  devices: Devices;
  metrics: Registry;
  /** The screen service, which makes the files. Absent: nothing is recorded, for tests. */
  recorder?: Client<typeof RecorderService>;
  /** The folder of recordings. Absent: there is none, for tests. */
  recordings?: RecordingsPlace;
}

export interface RecordingsPlace {
  directory: string;
  /** How long recordings are stored, ms. Absent: DEFAULT_KEPT_MS. */
  keptMs?: number;
  /** Measures the free space on the disk of the folder. Absent: the system is asked. */
  measure?: () => Promise<FreeSpace>;
}

export interface Recordings {
  calls: RecordingCalls;
  rpc: Implementation[];
  maintenance: PeriodicTask[];
  /** Begins to note the end of recordings that earlier processes of this host began. */
  start(): void;
  /** Ends the recordings that go on. */
  close(): Promise<void>;
}

const NOWHERE: RecordingsPlace = { directory: '/nonexistent' };

/** Opens the recordings of this host's phones. */
export function openRecordings({ devices, metrics, recorder, recordings }: RecordingsOptions): Recordings {
  const { directory, keptMs = DEFAULT_KEPT_MS, measure } = recordings ?? NOWHERE;
  const { clock, log, recordingSweep } = devices.context;
  const recorders = new Recorders();
  const context: RecordingsContext = {
    ...devices.context,
    recorder: recordings && recorder,
    files: new RecordingFiles(directory),
    recordingSpace: new HostSpace({ measure: measure ?? (() => freeSpaceOf(directory)), clock }),
    recorders,
    recordingEvents: new Wakeup(),
    recordingMetrics: recordingMetrics(metrics, () => recorders.size),
    keptMs,
  };
  const calls = new RecordingCalls(context);
  const closing = new AbortController();
  let sweeping = Promise.resolve();
  return {
    calls,
    rpc: [implement(RecordingService, recordingRpc(context, calls))],
    maintenance: [
      {
        name: 'remove recordings',
        everyMs: SWEEP_RECORDINGS_MS,
        run: (signal) => sweepRecordings(context, signal),
        wakeup: recordingSweep,
      },
      {
        name: 'remove what is left of recordings',
        everyMs: SWEEP_LEFT_MS,
        run: (signal) => sweepLeft(context, signal),
      },
      {
        name: 'publish recordings',
        everyMs: PUBLISH_AGAIN_MS,
        firstMs: PUBLISH_FIRST_MS,
        run: (signal) => publishRecordings(context, signal),
        wakeup: context.recordingEvents,
      },
    ],
    start: () => {
      if (recordings === undefined) return;
      const sweep = async (): Promise<void> => {
        await context.files.open();
        await sweepRecordings(context, closing.signal);
        await sweepLeft(context, closing.signal);
      };
      // Nothing of it is awaited: a disk of recordings that is full or away must not keep phones from being served.
      sweeping = sweep().catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'could not remove what is left of recordings');
      });
    },
    close: async () => {
      closing.abort(new Error('closing'));
      await sweeping;
      await recorders.close();
    },
  };
}
