import type { Client } from '@connectrpc/connect';
import type { HostSpace } from '../../kit/files/host-space.js';
import type { Wakeup } from '../../kit/ops/periodic-tasks.js';
import type { RecorderService } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import type { DevicesContext } from '../devices/devices-context.js';
import type { RecordingFiles } from './files/recording-files.js';
import type { RecordingMetrics } from './metrics.js';
import type { Recorders } from './recorders.js';

/** What the operations of recordings work with. */
export interface RecordingsContext extends DevicesContext {
  /** The screen service, which makes the files. Absent: nothing is recorded. */
  recorder: Client<typeof RecorderService> | undefined;
  files: RecordingFiles;
  /** The room on the disk of the files. */
  recordingSpace: HostSpace;
  /** The recordings that this process makes. */
  recorders: Recorders;
  /** Woken when recordings have ended. */
  recordingEvents: Wakeup;
  recordingMetrics: RecordingMetrics;
  /** How long recordings are stored, ms. */
  keptMs: number;
}
