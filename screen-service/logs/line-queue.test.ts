import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { LineQueue } from './line-queue.js';
import type { LogLine } from './log-line.js';

const line = (number: number, message = String(number)): LogLine => ({
  ...{ timeMs: number, pid: 1, tid: 1, level: 'I', tag: 'T', message },
});
const linesFrom = (first: number, count: number): LogLine[] =>
  Array.from({ length: count }, (_, at) => line(first + at));

describe('lines that wait for a slow reader', () => {
  it('are at most 5,000: the writer waits for room', async () => {
    const queue = new LineQueue('wait');
    let hasRoom = false;
    const added = queue.add(linesFrom(0, 5_001)).then(() => (hasRoom = true));
    await Promise.resolve();
    expect(hasRoom).to.equal(false);
    expect((await queue.take())?.lines.length).to.equal(5_001);
    await added;
  });

  it('are at most 5,000: the oldest are dropped and counted', async () => {
    const queue = new LineQueue('drop');
    for (let first = 0; first < 50_000; first += 500) await queue.add(linesFrom(first, 500));
    const taken = await queue.take();
    expect(taken?.lost).to.equal(45_000);
    expect(taken?.lines.map(({ message }) => message)).to.deep.equal(
      linesFrom(45_000, 5_000).map(({ message }) => message),
    );
    await queue.add([line(1)]);
    expect(await queue.take()).to.deep.equal({ lost: 0, lines: [line(1)] });
  });

  it('have at most 4 MiB, and one line at the least', async () => {
    const long = 'x'.repeat(65_536);
    const queue = new LineQueue('drop');
    for (let each = 0; each < 640; each++) await queue.add([line(each, long)]);
    const taken = await queue.take();
    expect(taken?.lines.length).to.equal(63);
    expect(taken?.lost).to.equal(577);
    const waiting = new LineQueue('wait');
    void waiting.add(Array.from({ length: 65 }, (_, each) => line(each, long)));
    let hasRoom = false;
    void waiting.add([line(1)]).then(() => (hasRoom = true));
    await Promise.resolve();
    expect(hasRoom).to.equal(false);
    waiting.end(undefined);
  });

  it('are none after a time without one, where that is wanted', async () => {
    const clock = new FakeClock();
    const queue = new LineQueue('drop');
    const taken = queue.take({ clock, ms: 15_000 });
    await clock.pass(15_000, 1_000);
    expect(await taken).to.deep.equal({ lost: 0, lines: [] });
    queue.end(undefined);
    expect(await queue.take({ clock, ms: 15_000 })).to.equal(undefined);
  });
});
