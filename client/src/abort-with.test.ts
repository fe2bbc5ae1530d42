import { expect } from 'chai';
import { abortWith } from './abort-with.js';

describe('a controller that aborts with a signal', () => {
  it('aborts with its reason, now or later, unless that was ended', () => {
    const source = new AbortController();
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    abortWith(one, source.signal);
    abortWith(two, source.signal)();
    source.abort(new Error('gone'));
    abortWith(three, source.signal);
    expect(one.signal.reason).to.equal(source.signal.reason);
    expect(two.signal.aborted).to.equal(false);
    expect(three.signal.reason).to.equal(source.signal.reason);
  });

  it('is one of a hundred, without a warning of the process', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const source = new AbortController();
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    for (const controller of controllers) abortWith(controller, source.signal);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    source.abort(new Error('gone'));
    expect(controllers.every(({ signal }) => signal.aborted)).to.equal(true);
    expect(warnings).to.deep.equal([]);
  });
});
