import { expect } from 'chai';
import { InputTimes } from './input-times.js';

describe('the times of input', () => {
  let nowMs: number;
  let times: InputTimes;
  const sender = () => ({ by: {}, sent: 0 });

  beforeEach(() => {
    nowMs = 0;
    times = new InputTimes({ monotonicMs: () => ++nowMs });
  });

  it("are no other caller's", () => {
    const [ann, bob] = [sender(), sender()];
    times.begin(ann).taken();
    expect(times.othersMs(ann.by)).to.equal(-Infinity);
    expect(times.othersMs(bob.by)).to.equal(times.lastMs).and.equal(2);
    times.begin(bob).taken();
    times.begin(ann).taken();
    expect(times.othersMs(ann.by)).to.equal(4);
    expect(times.lastMs).to.equal(6);
    times.begin(undefined).taken();
    for (const { by } of [ann, bob]) expect(times.othersMs(by)).to.equal(8);
    expect([ann.sent, bob.sent]).to.deep.equal([2, 1]);
  });

  it('are as before once a command was refused, but for what somebody else has sent meanwhile', () => {
    const [ann, bob] = [sender(), sender()];
    times.begin(ann).refused();
    expect(times.lastMs).to.equal(-Infinity);
    const refused = times.begin(ann);
    times.begin(bob).taken();
    refused.refused();
    expect(times.othersMs(ann.by)).to.equal(4);
    expect(ann.sent).to.equal(0);
  });
});
