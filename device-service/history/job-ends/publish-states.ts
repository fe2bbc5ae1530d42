import type { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';

/**
 * Publishes the events of the device soon. After a crash the events are still in the device's document, and the next round of any host
 * publishes them.
 */
export function publishStates(deviceEvents: Wakeup): JobEndSubscriber {
  return {
    name: 'publish the events of a device',
    jobEnded: ({ change }) => {
      if (change.deviceEvents !== undefined) deviceEvents.soon();
    },
  };
}
