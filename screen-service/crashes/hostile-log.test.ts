import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import type { LogLine } from '../logs/log-line.js';
import { CrashParser } from './crash-parser.js';
import { MAX_REASON_CHARS, MAX_TRACE_BYTES } from './found-crash.js';

const line = (message: string, more: Partial<LogLine> = {}): LogLine => ({
  ...{ timeMs: 1_000, pid: 77, tid: 77, level: 'E', tag: 'AndroidRuntime', message },
  ...more,
});

/** The first lines of an exception in the process `pid`. */
const exception = (pid: number, thrown = 'java.lang.Error: x'): LogLine[] =>
  ['FATAL EXCEPTION: main', `Process: com.example.p${pid}, PID: ${pid}`, thrown].map((text) => line(text, { pid }));

describe('a log that somebody writes to do harm', () => {
  it('makes no trace longer than its bound, in bytes of UTF-8, and none that ends in half a character', () => {
    for (const filler of ['x'.repeat(8_000), '\u20ac'.repeat(8_000), '\u{1f600}'.repeat(4_000)]) {
      const parser = new CrashParser();
      for (const one of exception(77)) parser.push(one, 0);
      for (let at = 0; at < 100; at++) expect(parser.push(line(filler), 0)).to.deep.equal([]);
      const [crash] = parser.takeComplete(10_000);
      expect(Buffer.byteLength(crash?.trace ?? '')).to.be.within(MAX_TRACE_BYTES - 8, MAX_TRACE_BYTES);
      expect(crash?.trace).not.to.contain('\ufffd');
    }
  });

  it('keeps at most eight traces open, and completes the oldest for another', () => {
    const parser = new CrashParser();
    const done = Array.from({ length: 80 }, (_, at) =>
      exception(100 + at).flatMap((one) => parser.push(one, 0)),
    ).flat();
    expect(done).to.have.lengthOf(72);
    expect(done[0]?.process).to.equal('com.example.p100');
    expect(parser.takeComplete(10_000)).to.have.lengthOf(8);
  });

  it('completes a trace to which lines are written without end', () => {
    const parser = new CrashParser();
    for (const one of exception(77)) parser.push(one, 0);
    let found = 0;
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 500) found += parser.push(line('more'), nowMs).length;
    expect(found).to.equal(1);
  });

  it('gives no reason longer than its bound', () => {
    const parser = new CrashParser();
    for (const one of exception(77, `java.lang.Error: ${'\u{1f600}'.repeat(4_000)}`)) parser.push(one, 0);
    const [crash] = parser.takeComplete(10_000);
    expect(crash?.reason.length).to.be.within(MAX_REASON_CHARS - 1, MAX_REASON_CHARS);
    expect(crash?.reason).not.to.match(/[\ud800-\udbff]$/);
  });

  it('takes no more than a moment for lines made to be slow', async () => {
    const parser = new CrashParser();
    const slow = [
      line(`Fatal signal 11 (SIGSEGV)${' in tid 1 ('.repeat(700)}`, { tag: 'libc', level: 'F' }),
      line(`ANR in ${'a.'.repeat(4_000)} (${'b.'.repeat(2_000)}`, { tag: 'ActivityManager' }),
      line(`pid: 1, tid: 1, name: ${' '.repeat(8_000)}>>`, { tag: 'DEBUG', level: 'F' }),
      line(`Process ${'x'.repeat(8_000)}`, { tag: 'ActivityManager', level: 'I' }),
      line(`*** *** *** ${'*'.repeat(8_000)}`, { tag: 'DEBUG', level: 'F' }),
      line(`Abort message: '${"'".repeat(8_000)}`, { tag: 'DEBUG', level: 'F' }),
    ];
    // 600 lines: a fifth of a millisecond each, with room for a busy machine.
    const usedMs = await processorMs(() => {
      for (let round = 0; round < 100; round++) for (const one of slow) parser.push(one, round);
    });
    expect(usedMs).to.be.below(1_000);
  });

  it('remembers the processes whose end was logged for a minute, and 64 of them at the most', () => {
    const parser = new CrashParser();
    const fatal = (pid: number, timeMs: number): LogLine =>
      line(`Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR) in tid ${pid} (x), pid ${pid} (x)`, {
        ...{ tag: 'libc', level: 'F', pid, timeMs },
      });
    const died = (pid: number, timeMs: number): LogLine =>
      line(`Process com.example.p${pid} (pid ${pid}) has died: fg  TOP`, {
        tag: 'ActivityManager',
        level: 'I',
        timeMs,
      });
    for (let pid = 1; pid <= 65; pid++) parser.push(fatal(pid, 0), 0);
    for (const [pid, timeMs] of [[1, 0], [64, 100_000], [65, 1_000]] as const) parser.push(died(pid, timeMs), 0); // prettier-ignore
    expect(parser.takeComplete(10_000).map(({ process }) => process)).to.deep.equal(['com.example.p65']);
  });
});
