import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { LineBuffer } from './line-buffer.js';

const BOUND_BYTES = 4 * 1024 * 1024;

describe('lines of the log whose reader stands still', () => {
  let clock: FakeClock;
  /** Bytes that the output takes before it takes no more. */
  let room: number;
  let output: string;
  let buffer: LineBuffer;

  beforeEach(() => {
    clock = new FakeClock();
    room = Infinity;
    output = '';
    buffer = new LineBuffer({
      write: (bytes) => {
        if (room === 0) throw new Error('EAGAIN');
        const taken = Buffer.from(bytes.subarray(0, Math.min(room, 65_536)));
        room -= taken.length;
        output += taken.toString();
        return taken.length;
      },
      clock,
      pause: (ms) => clock.turn(ms),
      droppedLine: (count) => `dropped ${count}\n`,
    });
  });

  const turnOver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('wait for it, and come out in order once it reads', async () => {
    room = 5;
    buffer.write('line 1\n');
    buffer.write('line 2\n');
    await turnOver();
    expect(output).to.equal('line ');
    buffer.write('line 3\n');
    await turnOver();
    room = Infinity;
    clock.turn(50);
    expect(output).to.equal('line 1\nline 2\nline 3\n');
    expect(buffer.dropped).to.equal(0);
  });

  it('are bounded at ten times the bound: the oldest go, whole, and are counted where they stood', async () => {
    room = 3;
    const total = (10 * BOUND_BYTES) / 1_024;
    for (let at = 0; at < total; at++) {
      buffer.write(`${String(at).padStart(1_023, '0')}\n`);
      if (at % 100 === 0) await turnOver();
    }
    await turnOver();
    room = Infinity;
    clock.turn(50);
    expect(output.length).to.be.lessThan(BOUND_BYTES + 128 * 1024);
    const lines = output.trimEnd().split('\n');
    const notices = lines.filter((line) => line.startsWith('dropped '));
    const kept = lines.filter((line) => !line.startsWith('dropped '));
    expect(notices).to.deep.equal([`dropped ${buffer.dropped}`]);
    expect(kept.every((line) => line.length === 1_023)).to.equal(true);
    expect(kept.length + buffer.dropped).to.equal(total);
    expect(Number(kept.at(-1))).to.equal(total - 1);
    const notice = lines.indexOf(notices[0] ?? '');
    expect(Number(lines[notice + 1]) - Number(lines[notice - 1])).to.equal(buffer.dropped + 1);
  });

  it('lose no count where the line that counts is dropped itself', async () => {
    room = 3;
    const write = async (): Promise<void> => {
      for (let at = 0; at < (2 * BOUND_BYTES) / 1_024; at++) buffer.write(`${'x'.repeat(1_023)}\n`);
      await turnOver();
    };
    await write();
    // The part that was begun is taken, and the line that counts is next.
    room = 64 * 1024 - 3;
    clock.turn(50);
    await write();
    room = Infinity;
    clock.turn(50);
    const counts = [...output.matchAll(/dropped (\d+)/g)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(buffer.dropped);
  });

  it('are written when the process ends, as far as a reader takes them within a second', async () => {
    room = 0;
    buffer.write('last words\n');
    await turnOver();
    const begunMs = clock.monotonicMs();
    buffer.end();
    expect(clock.monotonicMs() - begunMs).to.be.within(1_000, 1_100);
    expect(output).to.equal('');
    clock.after(20, () => (room = Infinity));
    buffer.write('the very last\n');
    buffer.end();
    expect(output).to.equal('last words\nthe very last\n');
  });

  it('hold up no end of the process whose reader is gone', async () => {
    let tries = 0;
    const gone = new LineBuffer({
      write: () => {
        tries++;
        throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      },
      ...{ clock, pause: (ms: number) => clock.turn(ms), droppedLine: () => '' },
    });
    gone.write('line\n');
    await turnOver();
    const begunMs = clock.monotonicMs();
    gone.write('last words\n');
    gone.end();
    expect(clock.monotonicMs()).to.equal(begunMs);
    expect(tries).to.be.greaterThan(0);
  });
});
