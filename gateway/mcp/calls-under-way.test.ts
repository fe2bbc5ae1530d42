import { expect } from 'chai';
import { CallsUnderWay } from './calls-under-way.js';

describe('calls of tools that are under way', () => {
  const one = { key: 'key_1', session: 's', id: 7 };

  it('are cancelled by their key, their client and their id', () => {
    const calls = new CallsUnderWay();
    let cancelled = 0;
    calls.begin(one, () => cancelled++);
    for (const other of [{ key: 'key_2' }, { key: undefined }, { session: 't' }, { session: undefined }, { id: '7' }])
      calls.cancel({ ...one, ...other });
    expect(cancelled).to.equal(0);
    calls.cancel(one);
    expect(cancelled).to.equal(1);
  });

  it('cannot be cancelled where their client has no name, or once they are over', () => {
    const calls = new CallsUnderWay();
    let cancelled = 0;
    const unnamed = { ...one, session: undefined };
    calls.begin(unnamed, () => cancelled++);
    calls.cancel(unnamed);
    const forget = calls.begin(one, () => cancelled++);
    forget();
    calls.cancel(one);
    expect(cancelled).to.equal(0);
  });

  it('are forgotten each by itself, also where two have one id', () => {
    const calls = new CallsUnderWay();
    const cancelled: string[] = [];
    const forgetFirst = calls.begin(one, () => cancelled.push('first'));
    calls.begin(one, () => cancelled.push('second'));
    forgetFirst();
    calls.cancel(one);
    expect(cancelled).to.deep.equal(['second']);
  });
});
