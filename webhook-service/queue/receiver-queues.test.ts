import { expect } from 'chai';
import type { DeliveryDocument } from '../store/delivery-document.js';
import { ReceiverQueues } from './receiver-queues.js';

describe('receiver queues', () => {
  const limits = { perReceiver: 2, perSlowReceiver: 1, aheadPerReceiver: 3, inAll: 8, waitingPerReceiver: 4 };
  const delivery = (url: string, number: number) => ({ _id: `${url}${number}`, url });
  const claimed = (one: { _id: string; url: string }) => ({ ...one, claim: 'c' }) as DeliveryDocument;
  const ids = (some: readonly { _id: string }[]): string[] => some.map(({ _id }) => _id);

  function fill(queues: ReceiverQueues, url: string, count: number): void {
    for (let number = 0; number < count; number++) queues.add(delivery(url, number));
  }

  /** Claims deliveries and begins attempts, as many as the queues allow; returns the deliveries whose attempts began. */
  function begin(queues: ReceiverQueues): DeliveryDocument[] {
    for (const due of queues.takeDue(100)) queues.keep(claimed(due));
    return queues.takeTurns();
  }

  it('take turns, and none has more than its slots', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 4);
    fill(queues, 'b', 1);
    fill(queues, 'c', 1);
    expect(ids(queues.takeDue(100))).to.deep.equal(['a0', 'b0', 'c0', 'a1']);
  });

  it('are claimed for ahead of their slots only when the last attempt was quick', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 4);
    expect(begin(queues)).to.have.length(2);
    queues.attemptEnded('a', false);
    queues.leave(delivery('a', 0));
    expect(ids(queues.takeDue(100))).to.deep.equal(['a2']);
    queues.dismiss(delivery('a', 2));
    queues.attemptEnded('a', true);
    queues.leave(delivery('a', 1));
    fill(queues, 'a', 4);
    expect(ids(queues.takeDue(100))).to.have.length(4);
  });

  it('leave slots for others when many hang', () => {
    const queues = new ReceiverQueues(limits);
    for (const url of ['a', 'b', 'c']) fill(queues, url, 4);
    expect(begin(queues)).to.have.length(5);
    fill(queues, 'd', 4);
    expect(ids(begin(queues))).to.deep.equal(['d0']);
    expect(queues.held).to.equal(6);
  });

  it('give a queue its slots back when slots are free again', () => {
    const queues = new ReceiverQueues(limits);
    for (const url of ['a', 'b', 'c']) fill(queues, url, 4);
    const running = begin(queues);
    expect(begin(queues)).to.deep.equal([]);
    for (const one of running) {
      queues.attemptEnded(one.url, false);
      queues.leave(one);
    }
    expect(begin(queues)).to.have.length(5);
  });

  it('keep their places while all slots are taken', () => {
    const queues = new ReceiverQueues({ ...limits, perSlowReceiver: 2, inAll: 4 });
    for (const url of ['a', 'b']) fill(queues, url, 3);
    expect(begin(queues)).to.have.length(4);
    fill(queues, 'c', 1);
    expect(begin(queues)).to.deep.equal([]);
    const next = [delivery('a', 0), delivery('b', 0), delivery('b', 1)].flatMap((ended) => {
      queues.attemptEnded(ended.url, false);
      queues.leave(ended);
      return ids(begin(queues));
    });
    expect(next).to.deep.equal(['a2', 'b2', 'c0']);
  });

  it('have their slots again where a claim that is given up makes others free', () => {
    const queues = new ReceiverQueues(limits);
    for (const url of ['a', 'b']) fill(queues, url, 2);
    expect(queues.takeDue(100)).to.have.length(4);
    fill(queues, 'c', 2);
    expect(ids(queues.takeDue(100))).to.deep.equal(['c0']);
    queues.dismiss(delivery('a', 0));
    expect(ids(queues.takeDue(100))).to.deep.equal(['c1']);
  });

  it('promise a turn to a new delivery only where it comes soon', () => {
    const queues = new ReceiverQueues(limits);
    const [first, second, third] = [0, 1, 2].map((number) => delivery('a', number)) as [never, never, never];
    expect([queues.mayClaimNew(first), queues.mayClaimNew(second), queues.mayClaimNew(third)]).to.deep.equal([
      true,
      true,
      false,
    ]);
    queues.dismiss(first);
    queues.add(third);
    expect(queues.mayClaimNew(first)).to.equal(false);
    queues.keep(claimed(second));
    expect(ids(queues.takeTurns())).to.deep.equal(['a1']);
  });

  it('promise a turn beside those that wait, but keep their places', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 3);
    expect(begin(queues)).to.have.length(2);
    queues.attemptEnded('a', true);
    const news = [10, 11, 12, 13].map((number) => delivery('a', number));
    // Two slots and three ahead: one runs, one waits.
    expect(news.map((one) => queues.mayClaimNew(one))).to.deep.equal([true, true, true, false]);
    expect(ids(queues.takeDue(100))).to.deep.equal(['a2']);
  });

  it('know a delivery once, until it is done with', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 1);
    fill(queues, 'a', 1);
    expect(ids(begin(queues))).to.deep.equal(['a0']);
    fill(queues, 'a', 1);
    expect(begin(queues)).to.deep.equal([]);
    queues.attemptEnded('a', true);
    queues.leave(delivery('a', 0));
    fill(queues, 'a', 1);
    expect(ids(begin(queues))).to.deep.equal(['a0']);
  });

  it('hold a bounded number and ask for more when little is left', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 10);
    expect(queues.needsMore()).to.deep.equal([]);
    expect(begin(queues)).to.have.length(2);
    expect(queues.needsMore()).to.deep.equal([]);
    const others = new ReceiverQueues({ ...limits, perReceiver: 4 });
    fill(others, 'a', 10);
    begin(others);
    expect(others.needsMore()).to.deep.equal(['a']);
    others.refilled('a', false);
    expect(others.needsMore()).to.deep.equal([]);
  });

  it('forget all waiting deliveries, and return the claimed ones', () => {
    const queues = new ReceiverQueues(limits);
    fill(queues, 'a', 4);
    for (const due of queues.takeDue(100)) queues.keep(claimed(due));
    expect(ids(queues.clear())).to.deep.equal(['a0', 'a1']);
    expect(queues.takeTurns()).to.deep.equal([]);
  });
});
