import { expect } from 'chai';
import { type Call, ClientGone, withinCall, OpenCall, type OpenCallOptions } from './call.js';
import { FakeClock } from '../../testing/fake-clock.js';

describe('a call', () => {
  let clock: FakeClock;
  beforeEach(() => (clock = new FakeClock()));

  const open = (options: Partial<OpenCallOptions> = {}) =>
    new OpenCall({ clock, requestId: 'req_1', trace: { traceparent: '00-1-2-00' }, timeoutMs: 1_000, ...options });
  const reasonOf = ({ signal }: Call): unknown => signal.reason;

  it('aborts with timeout when its time is over, and knows the rest of it until then', () => {
    const call = open();
    clock.turn(400);
    expect(call.remainingMs()).to.equal(600);
    clock.turn(599);
    expect(call.signal.aborted).to.equal(false);
    clock.turn(1);
    expect(reasonOf(call)).to.include({ kind: 'timeout', message: 'There was no response within 1 s. Try again.' });
    clock.turn(5);
    expect(call.remainingMs()).to.equal(0);
  });

  it('has no timer and no end without a deadline', () => {
    const call = open({ timeoutMs: Infinity });
    expect([call.remainingMs(), clock.timers]).to.deep.equal([Infinity, 0]);
  });

  it('aborts when the client hangs up', () => {
    const call = open();
    call.hangUp();
    expect(reasonOf(call)).to.be.instanceOf(ClientGone);
  });

  it('ends the awaited work, and ignores its late result', async () => {
    const call = open();
    expect(await call.unlessEnded(Promise.resolve(1))).to.equal(1);
    let fail: (error: Error) => void = () => undefined;
    const waited = call.unlessEnded(new Promise<never>((_, reject) => (fail = reject)));
    const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error);
    call.hangUp();
    fail(new Error('late'));
    expect(await failure(waited)).to.be.instanceOf(ClientGone);
    expect(await failure(call.unlessEnded(Promise.resolve(1)))).to.be.instanceOf(ClientGone);
    expect(await failure(open().unlessEnded(Promise.reject(new Error('its own'))))).to.have.property(
      'message',
      'its own',
    );
  });

  it('leaves no timer once it has ended, and does not abort any more by time', () => {
    const call = open();
    call.end();
    call.end();
    clock.turn(2_000);
    expect([clock.timers, call.signal.aborted]).to.deep.equal([0, false]);
  });

  /** A part that goes on until its call ends. */
  const partOf = (call: Call, timeoutMs: number): Call => {
    let made: Call | undefined;
    void withinCall(call, { clock, timeoutMs }, (part) => {
      made = part;
      return new Promise(() => undefined);
    });
    return made!;
  };

  it('gives a part of it an earlier deadline, never a later one, and ends with it', () => {
    const call = open();
    clock.turn(300);
    const [short, long] = [partOf(call, 200), partOf(call, 5_000)];
    expect([short.remainingMs(), long.remainingMs()]).to.deep.equal([200, 700]);
    clock.turn(200);
    expect([short.signal.aborted, long.signal.aborted, call.signal.aborted]).to.deep.equal([true, false, false]);
    call.hangUp();
    expect(reasonOf(long)).to.equal(reasonOf(call));
    expect(reasonOf(short)).to.have.property('kind', 'timeout');
    expect(reasonOf(partOf(call, 1))).to.equal(reasonOf(call));
  });

  it('leaves no timer of a part that is done', async () => {
    const call = open();
    expect(await withinCall(call, { clock, timeoutMs: 100 }, async (part) => part.remainingMs())).to.equal(100);
    expect(clock.timers).to.equal(1);
    call.end();
  });

  it('keeps its identity in its parts', () => {
    const call = open({ authorization: 'Bearer x', clientAddress: '192.0.2.1' });
    const { requestId, trace, authorization, clientAddress } = partOf(call, 1);
    expect({ requestId, trace, authorization, clientAddress }).to.deep.equal({
      requestId: 'req_1',
      trace: call.trace,
      authorization: 'Bearer x',
      clientAddress: '192.0.2.1',
    });
  });
});
