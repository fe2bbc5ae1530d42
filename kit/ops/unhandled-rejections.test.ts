import { expect } from 'chai';
import { pino } from 'pino';
import { FakeClock } from '../../testing/fake-clock.js';
import { ClientGone } from '../call/call.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { UnhandledRejections } from './unhandled-rejections.js';

describe('rejections that nobody handles', () => {
  let clock: FakeClock;
  let lines: { level: number; request_id?: string; unlogged?: number; err: { message: string; stack: string } }[];
  let rejections: UnhandledRejections;

  beforeEach(() => {
    clock = new FakeClock();
    lines = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
    rejections = new UnhandledRejections({ clock, log });
  });

  it('are logged at error with their stack, and with the request where they are the end of its call', () => {
    const call = openTestCall();
    call.hangUp();
    rejections.note(call.endedBy);
    rejections.note(new TypeError('x is not a function'));
    rejections.note('a text');
    expect(lines.map(({ level }) => level)).to.deep.equal([50, 50, 50]);
    expect(lines.map(({ request_id }) => request_id)).to.deep.equal(['req_test', undefined, undefined]);
    expect(lines[0]?.err.message).to.equal(new ClientGone().message);
    expect(lines[1]?.err.stack).to.contain('unhandled-rejections.test');
    expect(rejections.total).to.equal(3);
  });

  it('are all counted, and fill no disk: 60 lines in a minute, and the next one has the number of the others', () => {
    for (let at = 0; at < 600; at++) rejections.note(new Error('again'));
    expect([rejections.total, lines.length]).to.deep.equal([600, 60]);
    clock.turn(60_000);
    rejections.note(new Error('later'));
    rejections.note(new Error('later'));
    expect(lines.slice(60).map(({ unlogged }) => unlogged)).to.deep.equal([540, undefined]);
  });
});
