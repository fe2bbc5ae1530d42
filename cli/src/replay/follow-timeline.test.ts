import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Invocation } from '../command/command.js';
import { followTimeline } from './follow-timeline.js';

const ENTRY = {
  ...{
    id: 'tl_1',
    at: '2026-11-20T17:00:00Z',
    kind: 'act',
    key: 'main',
    outcome: 'done',
    duration_ms: 9,
    app: 'com.x',
  },
  request: { open_app: { app: 'Notes' } },
};

/**
 * Follows a timeline whose looks end in this way, one after the other, and ends the recording after them. `offAt`: the check that finds it
 * off; 0: none does.
 */
async function notesOf(looks: readonly (Error | object[])[], { offAt = 0 } = {}): Promise<string[]> {
  const notes: string[] = [];
  const stop = new AbortController();
  let nowMs = 0;
  let count = 0;
  const request = async (): Promise<Response> => {
    const look = looks[count++];
    if (count >= looks.length) stop.abort();
    if (look instanceof Error) throw look;
    return Response.json({ entries: look ?? [] });
  };
  const invocation = {
    signal: stop.signal,
    terminal: { note: (line: string) => notes.push(line) },
    wait: async (ms: number) => void (nowMs += ms),
    nowMs: () => nowMs,
    options: { flag: () => false },
  } as unknown as Invocation;
  let checks = 0;
  const timeline = { keepOn: async () => ++checks === offAt };
  await followTimeline(invocation, { request } as unknown as CloudPhone, 'demo', { filter: {}, timeline });
  return notes;
}

describe('a timeline that is followed', () => {
  const away = new CloudPhoneError('The service is away.', { kind: 'unavailable', status: 503 });

  it('goes on when the service comes back, and reports each absence once', async () => {
    const report = 'cloudphone: the steps cannot be shown for now, and are recorded: The service is away.';
    expect(await notesOf([away, away, [ENTRY], [], away, away])).to.deep.equal([report, '  open_app "Notes"', report]);
  });

  it('is kept on where another program turns it off', async () => {
    const looks = Array.from({ length: 9 }, () => []);
    const report = 'cloudphone: the timeline of demo was turned off meanwhile. It is on again.';
    expect(await notesOf(looks, { offAt: 2 })).to.deep.equal([report]);
    expect(await notesOf(looks)).to.deep.equal([]);
  });

  it('ends with any other error', async () => {
    const refused = new CloudPhoneError('No.', { kind: 'forbidden', status: 403 });
    expect(await notesOf([refused]).catch((error: unknown) => error)).to.equal(refused);
  });
});
