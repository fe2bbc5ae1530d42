import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { ensureTemplate } from './ensure-template.js';

const TAKEN = new CloudPhoneError('The name is taken.', { kind: 'bad_request', status: 400 });
const ABSENT = new CloudPhoneError('There is no such template.', { kind: 'not_found', status: 404 });

/** Ensures a template whose state at each look is the next of `states`, the last for good. Returns what was done. */
async function done(states: (string | undefined)[], made: (Error | undefined)[] = []): Promise<string[]> {
  const steps: string[] = [];
  const get = async (): Promise<object> => {
    const state = states.length > 1 ? states.shift() : states[0];
    if (state === undefined) throw ABSENT;
    return { template: { state } };
  };
  const phone = { get, delete: async () => void steps.push('delete') } as unknown as CloudPhone;
  const make = async (): Promise<void> => {
    steps.push('make');
    const error = made.shift();
    if (error !== undefined) throw error;
  };
  const wait = async (): Promise<void> => void steps.push('wait');
  await ensureTemplate(phone, 'gym', { make, note: () => undefined, wait }).catch((error: unknown) =>
    steps.push((error as Error).message),
  );
  return steps;
}

describe('the template of the gym', () => {
  for (const [what, states, made, steps] of [
    ['is used where it is ready', ['ready'], [], []],
    ['is made where there is none', [undefined], [], ['make']],
    ['is waited for where another run saves it', ['saving', 'saving', 'ready'], [], ['wait', 'wait']],
    ['is made anew where it has failed', ['failed'], [], ['delete', 'make']],
    ['is made anew where that of another run fails', ['saving', 'failed'], [], ['wait', 'delete', 'make']],
    [
      'is that of the run which had the name first',
      [undefined, 'saving', 'saving', 'ready'],
      [TAKEN],
      ['make', 'wait'],
    ],
    ['is not made again after an error of its own', [undefined], [TAKEN], ['make', TAKEN.message]],
    ['is left as failed after an error of its own job', [undefined, 'failed'], [TAKEN], ['make', TAKEN.message]],
  ] as const)
    it(what, async () => expect(await done([...states], [...made])).to.deep.equal(steps));

  it('is not waited for without end', async () => {
    const steps = await done(['saving']);
    expect(steps.at(-1)).to.include('is still being saved');
    expect(steps).to.have.length(301);
  });
});
