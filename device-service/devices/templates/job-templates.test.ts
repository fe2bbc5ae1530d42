import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import type { TemplateDocument } from '../../store/templates.js';
import type { DevicesContext } from '../devices-context.js';
import { STEP_MS } from '../limits.js';
import { type JobTemplates, jobTemplates } from './job-templates.js';

describe('the check of a template for jobs', () => {
  let clock: FakeClock;
  let jobs: JobTemplates;
  let begun: { id: string; signal: AbortSignal; end: (error?: Error) => void }[];
  const driver = {
    kind: 'kubernetes',
    snapshots: {
      check: (id: string, { signal }: { signal: AbortSignal }) =>
        new Promise<void>((resolve, reject) => {
          begun.push({ id, signal, end: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
    },
  } as unknown as PhoneDriver;

  beforeEach(() => {
    clock = new FakeClock();
    begun = [];
    jobs = jobTemplates({ clock, log: silentLog } as unknown as DevicesContext);
  });

  const outcomeOf = (id: string, signal = new AbortController().signal): Promise<string> =>
    jobs.assertWhole({ _id: id, name: 'golden' } as TemplateDocument, driver, signal).then(
      () => 'whole',
      (error: unknown) => String(error),
    );

  it('is one for all that ask at the same time, each of which gets its result; one that asks later gets a new one', async () => {
    const asked = ['tpl_1', 'tpl_1', 'tpl_2', 'tpl_1'].map((id) => outcomeOf(id));
    await settled();
    expect(begun.map(({ id }) => id)).to.deep.equal(['tpl_1', 'tpl_2']);
    begun[0]?.end(new PhoneFailure('The snapshot is damaged.'));
    begun[1]?.end();
    const damaged = 'The template "golden" cannot be used: The snapshot is damaged.';
    for (const [at, outcome] of (await Promise.all(asked)).entries())
      expect(outcome).to.contain(at === 2 ? 'whole' : damaged);
    const later = outcomeOf('tpl_1');
    await settled();
    begun[2]?.end();
    expect(await later).to.equal('whole');
  });

  it('goes on where a job that asked has ended, and ends with the last', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [first, second].map(({ signal }) => outcomeOf('tpl_1', signal));
    await settled();
    first.abort(new Error('deleted'));
    expect(await asked[0]).to.equal('Error: deleted');
    expect(begun.map(({ signal }) => signal.aborted)).to.deep.equal([false]);
    second.abort(new Error('deleted too'));
    expect(await asked[1]).to.equal('Error: deleted too');
    expect(begun[0]?.signal.aborted).to.equal(true);
  });

  it('that hangs ends for all at its limit, also for one that came late, and the next is a new one', async () => {
    const first = outcomeOf('tpl_1');
    await clock.pass(STEP_MS.check - 1_000, 10_000);
    const late = outcomeOf('tpl_1');
    await clock.pass(1_000, 1_000);
    for (const outcome of await Promise.all([first, late])) expect(outcome).to.contain('did not finish within 600 s');
    expect(begun.map(({ signal }) => signal.aborted)).to.deep.equal([true]);
    const next = outcomeOf('tpl_1');
    await settled();
    begun[1]?.end();
    expect(await next).to.equal('whole');
  });
});
