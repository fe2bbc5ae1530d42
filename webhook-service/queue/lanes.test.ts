import { expect } from 'chai';
import type { DeliveryDocument } from '../store/delivery-document.js';
import { Lanes } from './lanes.js';

describe('lanes', () => {
  const limits = { perReceiver: 2, perSlowReceiver: 1, aheadPerReceiver: 3, inAll: 8, waitingPerReceiver: 4 };
  const delivery = (url: string, number: number) => ({ _id: `${url}${number}`, url });
  const claimed = (one: { _id: string; url: string }) => ({ ...one, claim: 'c' }) as DeliveryDocument;
  const ids = (some: readonly { _id: string }[]): string[] => some.map(({ _id }) => _id);

  function fill(lanes: Lanes, url: string, count: number): void {
    for (let number = 0; number < count; number++) lanes.add(delivery(url, number));
  }

  /** Claims deliveries and begins attempts, as many as the lanes allow; returns the ones that began. */
  function begin(lanes: Lanes): DeliveryDocument[] {
    for (const due of lanes.takeDue(100)) lanes.keep(claimed(due));
    return lanes.takeTurns();
  }

  it('take turns, and none has more than its slots', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 4);
    fill(lanes, 'b', 1);
    fill(lanes, 'c', 1);
    expect(ids(lanes.takeDue(100))).to.deep.equal(['a0', 'b0', 'c0', 'a1']);
  });

  it('are claimed for ahead of their slots only when the last attempt was quick', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 4);
    expect(begin(lanes)).to.have.length(2);
    lanes.attemptEnded('a', false);
    lanes.leave(delivery('a', 0));
    expect(ids(lanes.takeDue(100))).to.deep.equal(['a2']);
    lanes.dismiss(delivery('a', 2));
    lanes.attemptEnded('a', true);
    lanes.leave(delivery('a', 1));
    fill(lanes, 'a', 4);
    expect(ids(lanes.takeDue(100))).to.have.length(4);
  });

  it('leave slots for others when many hang', () => {
    const lanes = new Lanes(limits);
    for (const url of ['a', 'b', 'c']) fill(lanes, url, 4);
    expect(begin(lanes)).to.have.length(5);
    fill(lanes, 'd', 4);
    expect(ids(begin(lanes))).to.deep.equal(['d0']);
    expect(lanes.held).to.equal(6);
  });

  it('give a lane its slots back when slots are free again', () => {
    const lanes = new Lanes(limits);
    for (const url of ['a', 'b', 'c']) fill(lanes, url, 4);
    const running = begin(lanes);
    expect(begin(lanes)).to.deep.equal([]);
    for (const one of running) {
      lanes.attemptEnded(one.url, false);
      lanes.leave(one);
    }
    expect(begin(lanes)).to.have.length(5);
  });

  it('promise a turn to a new delivery only where it comes soon', () => {
    const lanes = new Lanes(limits);
    const [first, second, third] = [0, 1, 2].map((number) => delivery('a', number)) as [never, never, never];
    expect([lanes.promise(first), lanes.promise(second), lanes.promise(third)]).to.deep.equal([true, true, false]);
    lanes.dismiss(first);
    lanes.add(third);
    expect(lanes.promise(first)).to.equal(false);
    lanes.keep(claimed(second));
    expect(ids(lanes.takeTurns())).to.deep.equal(['a1']);
  });

  it('promise a turn beside those that wait, but keep their places', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 3);
    expect(begin(lanes)).to.have.length(2);
    lanes.attemptEnded('a', true);
    const news = [10, 11, 12, 13].map((number) => delivery('a', number));
    // Two slots and three ahead: one runs, one waits.
    expect(news.map((one) => lanes.promise(one))).to.deep.equal([true, true, true, false]);
    expect(ids(lanes.takeDue(100))).to.deep.equal(['a2']);
  });

  it('know a delivery once, until it is done with', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 1);
    fill(lanes, 'a', 1);
    expect(ids(begin(lanes))).to.deep.equal(['a0']);
    fill(lanes, 'a', 1);
    expect(begin(lanes)).to.deep.equal([]);
    lanes.attemptEnded('a', true);
    lanes.leave(delivery('a', 0));
    fill(lanes, 'a', 1);
    expect(ids(begin(lanes))).to.deep.equal(['a0']);
  });

  it('hold a bounded number and ask for more when little is left', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 10);
    expect(lanes.hungry()).to.deep.equal([]);
    expect(begin(lanes)).to.have.length(2);
    expect(lanes.hungry()).to.deep.equal([]);
    const others = new Lanes({ ...limits, perReceiver: 4 });
    fill(others, 'a', 10);
    begin(others);
    expect(others.hungry()).to.deep.equal(['a']);
    others.fed('a', false);
    expect(others.hungry()).to.deep.equal([]);
  });

  it('forget all waiting deliveries, and return the claimed ones', () => {
    const lanes = new Lanes(limits);
    fill(lanes, 'a', 4);
    for (const due of lanes.takeDue(100)) lanes.keep(claimed(due));
    expect(ids(lanes.clear())).to.deep.equal(['a0', 'a1']);
    expect(lanes.takeTurns()).to.deep.equal([]);
  });
});
