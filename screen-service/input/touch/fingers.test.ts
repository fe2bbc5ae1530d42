import { expect } from 'chai';
import { ClientGone } from '../../../kit/call/call.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openTestCall } from '../../../testing/open-test-call.js';
import { until } from '../../../testing/until.js';
import { openTestSession } from '../../testing/screen-world.js';
import { startScriptedPhone, type ScriptedPhone } from '../../testing/scripted-phone.js';
import type { PhoneSession } from '../../phones/phone-session.js';
import type { RawEvent } from '../plan-input.js';
import { releaseHeld, sendInput } from '../send-input.js';
import { refusalOf } from '../../../testing/refusal.js';

/** A phone without a touch device that can be written: it gets `input` commands. */
describe('fingers on a screen', () => {
  let phone: ScriptedPhone;
  let clock: FakeClock;
  let phoneSession: PhoneSession;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    clock = new FakeClock();
    phoneSession = openTestSession(phone.adbd.port, {}, clock);
  });
  afterEach(async () => {
    phoneSession.close();
    await phone.adbd.close();
  });

  const down: RawEvent = { kind: 'touch', phase: 'down', pointer: 0, x: 10, y: 20 };
  const move: RawEvent = { ...down, phase: 'move', x: 30 };
  const up: RawEvent = { ...move, phase: 'up' };
  const send = (holder: string, ...events: RawEvent[]) => sendInput(openTestCall(), phoneSession, events, holder);
  const lifted = () => until(async () => phone.inputs.some((command) => command.includes('UP')));

  it('stay from one call of a caller to the next', async () => {
    await send('a', down);
    await send('a', move, move);
    await send('a', up);
    expect(phone.inputs).to.deep.equal([
      'input motionevent DOWN 10 20',
      'input motionevent MOVE 30 20 && input motionevent MOVE 30 20',
      'input motionevent UP 30 20',
    ]);
    expect(clock.timers).to.equal(0);
  });

  it('that go down and up at once are one command, which cannot last as long as a long press', async () => {
    await send('a', down, { ...down, phase: 'up' }, down, up);
    expect(phone.inputs).to.deep.equal([
      'input tap 10 20 && input motionevent DOWN 10 20 && input motionevent UP 30 20',
    ]);
  });

  it('are lifted where they are when their caller sends nothing for 30 s', async () => {
    await send('a', down, move);
    clock.turn(29_999);
    expect(phone.inputs).to.have.length(1);
    clock.turn(1);
    await lifted();
    expect(phone.inputs.at(-1)).to.equal('input motionevent UP 30 20');
    expect(await refusalOf(send('a', up))).to.include({ kind: 'bad_request' });
  });

  it('stay for another 30 s after each call', async () => {
    await send('a', down);
    clock.turn(20_000);
    await send('a', move);
    clock.turn(20_000);
    await send('a', up);
    expect(phone.inputs.filter((command) => command.includes('UP'))).to.have.length(1);
  });

  it('are lifted when their holder goes away, and only then', async () => {
    await send('a', down);
    await releaseHeld(phoneSession, 'b');
    expect(phone.inputs).to.have.length(1);
    await releaseHeld(phoneSession, 'a');
    expect(phone.inputs.at(-1)).to.equal('input motionevent UP 10 20');
  });

  it('are lifted when a call ends before its time', async () => {
    const call = openTestCall();
    const sent = sendInput(call, phoneSession, [down, { kind: 'wait', ms: 5_000 }, up], 'a').catch(
      (error: unknown) => error,
    );
    await until(async () => phone.inputs.length === 1);
    call.hangUp();
    expect(await sent).to.be.instanceOf(ClientGone);
    await lifted();
    expect(phone.inputs).to.deep.equal(['input motionevent DOWN 10 20', 'input motionevent UP 10 20']);
  });

  it('of one caller keep another from touching, until a time that it is given', async () => {
    await send('a', down);
    const other = refusalOf(send('b', down, up));
    await until(async () => clock.timers === 2);
    clock.turn(1_000);
    const error = await other;
    expect(error.kind).to.equal('busy');
    expect(error.message).to.contain(new Date(clock.now() + 29_000).toISOString());
    expect(phone.inputs).to.have.length(1);
    await send('a', up);
    await send('b', down, up);
    expect(phone.inputs).to.have.length(3);
  });

  it('of one caller are waited for when they leave soon', async () => {
    await send('a', down);
    const other = send('b', down, up);
    await send('a', up);
    await other;
    expect(phone.inputs.at(-1)).to.equal('input motionevent DOWN 10 20 && input motionevent UP 30 20');
  });

  it('do not keep another caller from pressing keys', async () => {
    await send('a', down);
    await send('b', { kind: 'key', name: 'home', phase: 'press' });
    expect(phone.inputs.at(-1)).to.equal('input keyevent 3');
  });

  it('are refused where the phone takes one, and those that are held stay', async () => {
    await send('a', down);
    const error = await refusalOf(send('a', { ...down, pointer: 1 }));
    expect(error.message).to.contain('this phone takes one finger at a time');
    await send('a', up);
    expect(phone.inputs).to.have.length(2);
  });

  it('stay down when later events are not valid, of which none is sent', async () => {
    await send('a', down);
    const error = await refusalOf(send('a', move, { ...move, x: 5_000 }));
    expect(error.message).to.contain('events[1].touch');
    await send('a', move, up);
    expect(phone.inputs).to.have.length(2);
  });

  it('are not waited for by an endless number of calls', async () => {
    await send('a', down);
    const others = Array.from({ length: 70 }, () => refusalOf(send('b', down, up)));
    await until(async () => clock.timers > 60);
    clock.turn(1_000);
    const texts = (await Promise.all(others)).map(({ message }) => message);
    expect(texts.filter((text) => text.startsWith('Too many calls'))).to.have.length(6);
  });
});
