import type { Client } from '@connectrpc/connect';
import type { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Wakeup } from '../../kit/ops/periodic-tasks.js';
import type { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { DevicesContext } from '../devices/devices-context.js';
import type { RecordingCalls } from '../recordings/recording-calls.js';
import type { DeviceNews } from './device-news.js';
import type { StepsBox } from './groups/steps-box.js';
import type { HostSilence } from './host-silence.js';

/** The parts that the operations on many devices work with. This context extends those of the packages below. */
export interface FleetContext extends DevicesContext {
  /** The screen service. Absent: steps on the screen fail. */
  screen: Client<typeof ScreenService> | undefined;
  /** Begins and ends recordings, for the steps that do. */
  recordingCalls: RecordingCalls;
  /** Wakes the calls that wait for a device, or for a person to give it back. */
  deviceNews: DeviceNews;
  /** Locks by what is wanted, so that calls do not choose the same device at once. */
  takingLease: KeyedLock;
  /** Knows the hosts whose phones nobody can use now. */
  hostSilence: HostSilence;
  /** Ids of the phones that calls of this process are leasing just now. */
  beingLeased: Set<string>;
  /** Requests work on the pools before its time. */
  poolNews: Wakeup;
  /** Encrypts the steps of groups and schedules. */
  stepsBox: StepsBox;
}
