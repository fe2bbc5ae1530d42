import { expect } from 'chai';
import pLimit from 'p-limit';
import { inTurn } from './in-turn.js';

describe('work in its turn', () => {
  it('that is aborted while it waits ends at once, is never begun, and holds up no other', async () => {
    const limit = pLimit(1);
    let endFirst = (): void => undefined;
    const first = inTurn(limit, undefined, () => new Promise<void>((resolve) => (endFirst = resolve)));
    const controller = new AbortController();
    let begun = false;
    const second = inTurn(limit, controller.signal, () => Promise.resolve(void (begun = true)));
    const third = inTurn(limit, undefined, () => Promise.resolve('third'));
    const reason = new Error('stopped');
    controller.abort(reason);
    expect(await second.catch((error: unknown) => error)).to.equal(reason);
    endFirst();
    await first;
    expect(await third).to.equal('third');
    expect(begun).to.equal(false);
  });

  it('is waited for once it has begun: it may still change the phone', async () => {
    const controller = new AbortController();
    let end = (): void => undefined;
    const work = inTurn(pLimit(1), controller.signal, () => new Promise<string>((resolve) => (end = () => resolve('ended')))); // prettier-ignore
    await Promise.resolve();
    controller.abort(new Error('stopped'));
    end();
    expect(await work).to.equal('ended');
  });

  it('fails as it does, and is not begun with a signal that is aborted', async () => {
    const limit = pLimit(1);
    expect(await inTurn(limit, undefined, () => Promise.reject(new Error('failed'))).catch(String)).to.contain(
      'failed',
    );
    const reason = new Error('too late');
    const late = inTurn(limit, AbortSignal.abort(reason), () => Promise.resolve('begun'));
    expect(await late.catch((error: unknown) => error)).to.equal(reason);
  });
});
