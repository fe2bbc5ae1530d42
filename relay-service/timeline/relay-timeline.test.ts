import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { RelayDocument } from '../store/relays.js';
import { keptCommand } from './kept-command.js';
import { RelayTimeline } from './relay-timeline.js';

describe('a relay in a timeline', () => {
  it('has command lines without the text that they type', () => {
    expect(keptCommand('ls -l /sdcard')).to.equal('ls -l /sdcard');
    for (const typed of ["input text 'hunter2'", 'input keyboard text hunter2', 'input -d 0 text hunter2; ls'])
      expect(keptCommand(typed)).to.match(/^input[^2]* text …$/);
    expect(keptCommand('am broadcast -a ADB_INPUT_B64 --es msg aHVudGVyMg==')).to.equal(
      'am broadcast -a ADB_INPUT_B64 …',
    );
    expect(keptCommand('input tap 1 2; input text hunter2\nls')).to.equal('input tap 1 2; input text …\nls');
    expect(keptCommand('package\0list\0packages')).to.equal('package list packages');
    expect(keptCommand('x'.repeat(50_000))).to.have.length(4_002);
  });

  it('has a command line that is made to be slow in little time, and none of the text behind its cut', () => {
    const beganMs = performance.now();
    const kept = keptCommand(`${'input '.repeat(100_000)}text hunter2`);
    expect(kept).to.have.length(4_002);
    expect(performance.now() - beganMs).to.be.below(200);
  });

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
