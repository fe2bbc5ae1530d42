import { expect } from 'chai';
import { settled } from '../../testing/fake-clock.js';
import { SharedWork, type SharedWait } from './shared-work.js';

describe('shared work', () => {
  let shared: SharedWork;
  /** The options with which work was begun, and how to end it. */
  let begun: { options: Required<SharedWait>; end: (error?: Error) => void }[];
  const work = (options: Required<SharedWait>): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
      options.signal?.addEventListener('abort', () => end(new Error('cancelled')));
      begun.push({ options, end });
    });
  const failureOf = (waited: Promise<void>): Promise<string> =>
    waited.then(
      () => 'done',
      (error: unknown) => String(error),
    );

  beforeEach(() => {
    shared = new SharedWork();
    begun = [];
  });

  it('is done once for all who wait, with the progress for each, and again for those who come later', async () => {
    const seen: number[][] = [[], [], []];
    const wait = (at: number): Promise<string> =>
      failureOf(shared.join('a', { onProgress: (percent) => seen[at]?.push(percent) }, work));
    const first = wait(0);
    const second = wait(1);
    await settled();
    begun[0]?.options.onProgress?.(40);
    const third = wait(2);
    const other = shared.join('b', {}, work);
    await settled();
    expect(begun).to.have.length(2);
    for (const { end } of begun) end();
    expect(await Promise.all([first, second, third])).to.deep.equal(['done', 'done', 'done']);
    await other;
    expect(seen).to.deep.equal([[40], [40], [40]]);
    const later = wait(0);
    await settled();
    expect(begun).to.have.length(3);
    begun[2]?.end(new Error('no'));
    expect(await later).to.equal('Error: no');
  });

  it('goes on when one who waits has gone, and is cancelled with the last; then it begins anew', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failureOf(shared.join('a', { signal: one.signal }, work));
    const second = failureOf(shared.join('a', { signal: two.signal }, work));
    await settled();
    one.abort(new Error('gone'));
    expect(await first).to.equal('Error: gone');
    expect(begun[0]?.options.signal?.aborted).to.equal(false);
    two.abort(new Error('gone too'));
    expect(await second).to.equal('Error: gone too');
    expect(begun[0]?.options.signal?.aborted).to.equal(true);
    const third = failureOf(shared.join('a', {}, work));
    await settled();
    expect(begun).to.have.length(2);
    begun[1]?.end();
    expect(await third).to.equal('done');
  });
});
