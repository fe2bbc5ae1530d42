import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { RelayDocument } from '../store/relays.js';
import { RelayTimeline } from './relay-timeline.js';

describe('a relay in a timeline', () => {
  it('is recorded while the timeline is on', async () => {
    const clock = new FakeClock();
    const made: NewTimelineEntry[] = [];
    const queue = {
      add: ({ make }: { make: () => NewTimelineEntry | Promise<NewTimelineEntry> }) =>
        made.push(make() as NewTimelineEntry),
    };
    const timeline = new RelayTimeline({ queue, clock });
    const document = { _id: 'ph_1', keyId: 'key_1' } as RelayDocument;
    const session = { address: '192.0.2.1', connectedAt: new Date(clock.now()) };
    timeline.passed(document, 'ls');
    timeline.isOn = true;
    timeline.passed(document, 'id');
    clock.turn(2_000);
    timeline.ended(document, session, 'client left');
    expect(made.map(({ request, outcome, durationMs, keyId }) => [request, outcome, durationMs, keyId])).to.deep.equal([
      ['{"command":"id"}', 'done', 0, 'key_1'],
      ['{"address":"192.0.2.1"}', 'client left', 2_000, 'key_1'],
    ]);
  });
});
