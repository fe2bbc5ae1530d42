import { expect } from 'chai';
import { type Log, silentLog } from '../../kit/log/log.js';
import { deviceDocument } from '../../testing/device-document.js';
import { settled } from '../../testing/fake-clock.js';
import { type EndedJob, type JobEndSubscriber, notifying } from './ended-job.js';

describe('the subscribers to the ends of jobs', () => {
  const ended: EndedJob = {
    device: deviceDocument(),
    job: { id: 'job_1', kind: 'stop', createdAt: new Date(0), progress: 100 },
    change: {},
  };

  const noting = (name: string, notes: string[]): JobEndSubscriber => ({
    name,
    jobEnded: ({ job }) => void notes.push(`${name} ${job.id}`),
  });

  it('are notified in their order, before the notice returns', () => {
    const notes: string[] = [];
    notifying([noting('count', notes), noting('publish', notes)], silentLog)(ended);
    expect(notes).to.deep.equal(['count job_1', 'publish job_1']);
  });

  it('are notified although another one fails, which is logged by its name', async () => {
    const notes: string[] = [];
    const lines: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, line: string) => void lines.push(line) } as unknown as Log;
    const failing: JobEndSubscriber[] = [
      {
        name: 'count',
        jobEnded: () => {
          throw new Error('at once');
        },
      },
      { name: 'remove', jobEnded: () => Promise.reject(new Error('later')) },
    ];
    notifying([...failing, noting('publish', notes)], log)(ended);
    await settled();
    expect(notes).to.deep.equal(['publish job_1']);
    expect(lines).to.deep.equal(['could not count', 'could not remove']);
  });
});
