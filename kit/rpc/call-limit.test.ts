import { Code, ConnectError } from '@connectrpc/connect';
import { expect } from 'chai';
import { CallLimit } from './call-limit.js';

describe('the limit of a call in the same process', () => {
  const never = new Promise<never>(() => undefined);
  const codeOf = async (call: Promise<unknown>): Promise<Code | undefined> => {
    const error: unknown = await call.catch((failure: unknown) => failure);
    return error instanceof ConnectError ? error.code : undefined;
  };

  it('lets the answer through, or its error as it is', async () => {
    const caller = new AbortController();
    for (const limit of [new CallLimit(undefined, undefined), new CallLimit(caller.signal, 1_000)]) {
      expect(await limit.hold(Promise.resolve(1))).to.equal(1);
      const error = new Error('mine');
      expect(await limit.hold(Promise.reject(error)).catch((failure: unknown) => failure)).to.equal(error);
    }
  });

  it('ends when the caller hangs up, and shows it to an implementation that asked before or asks after', async () => {
    for (const timeoutMs of [undefined, 10_000]) {
      const caller = new AbortController();
      const [asked, silent] = [new CallLimit(caller.signal, timeoutMs), new CallLimit(caller.signal, timeoutMs)];
      const { signal } = asked;
      const codes = [asked, silent].map((limit) => codeOf(limit.hold(never)));
      expect(signal.aborted).to.equal(false);
      caller.abort(new Error('gone'));
      expect(await Promise.all(codes)).to.deep.equal([Code.Canceled, Code.Canceled]);
      for (const seen of [signal, silent.signal]) expect(seen.reason).to.equal(caller.signal.reason);
    }
  });

  it('ends at once when the caller had hung up before', async () => {
    const limit = new CallLimit(AbortSignal.abort(new Error('gone')), 10_000);
    expect(await codeOf(limit.hold(never))).to.equal(Code.Canceled);
    expect(limit.signal.aborted).to.equal(true);
  });

  it('ends when the time is up, and not after the answer', async () => {
    const [limit, answered] = [new CallLimit(undefined, 1), new CallLimit(undefined, 1)];
    const { signal } = answered;
    await answered.hold(Promise.resolve());
    expect(await codeOf(limit.hold(never))).to.equal(Code.DeadlineExceeded);
    expect(limit.signal.reason).to.have.property('name', 'TimeoutError');
    expect(signal.aborted).to.equal(false);
  });
});
