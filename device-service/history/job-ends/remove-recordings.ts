import type { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { RecordingStore } from '../../store/recordings.js';

/**
 * Has the recordings of a device that is gone removed: each host removes its files soon. If a crash or an outage prevents the mark, each
 * host finds them within an hour (recordings/sweep-recordings.ts).
 */
export function removeRecordings(recordings: RecordingStore, sweep: Wakeup): JobEndSubscriber {
  return {
    name: 'remove the recordings of a device',
    jobEnded: async ({ device, change }) => {
      if (change.gone !== true) return;
      await recordings.beginDeleteOfPhone(device._id);
      sweep.soon();
    },
  };
}
