import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { CommandError } from '../values/command-error.js';
import { CursorTable, type Results } from './cursor-table.js';

describe('CursorTable', () => {
  const clock = new FakeClock();

  function results(sizes: readonly number[]): Results & { closed: number } {
    const closable = {
      namespace: 'a.b',
      documents: sizes.map((size) => Buffer.alloc(size)).values(),
      closed: 0,
      close: () => {
        closable.closed++;
      },
    };
    return closable;
  }

  it('closes a cursor whose documents fit one batch, also when they fit exactly', () => {
    const cursors = new CursorTable(clock);
    const exact = results([1, 1, 1]);
    expect(cursors.open(exact, 3)).to.deep.include({ cursorId: 0 });
    expect(exact.closed).to.equal(1);
    expect(cursors.size).to.equal(0);
  });

  it('closes results that are not read for ten minutes, counted from the last batch', () => {
    const cursors = new CursorTable(clock);
    const many = results([1, 1, 1, 1, 1]);
    const { cursorId } = cursors.open(many, 1);
    clock.turn(9 * 60_000);
    expect(cursors.next(cursorId, 'a.b', 1).documents).to.have.length(1);
    clock.turn(9 * 60_000);
    expect(many.closed).to.equal(0);
    clock.turn(2 * 60_000);
    expect(many.closed).to.equal(1);
    expect(() => cursors.next(cursorId, 'a.b', 1)).to.throw(CommandError, 'not found');
  });

  it('keeps a batch below 16 MiB, but gives a single document of any size', () => {
    const cursors = new CursorTable(clock);
    const megabytes = results([10, 10, 16, 1].map((size) => size * 1024 * 1024));
    const { cursorId, documents } = cursors.open(megabytes, 100);
    expect(documents).to.have.length(1);
    expect(cursors.next(cursorId, 'a.b', 0).documents).to.have.length(1);
    expect(cursors.next(cursorId, 'a.b', 0).documents).to.have.length(1);
    expect(cursors.next(cursorId, 'a.b', 0)).to.deep.include({ cursorId: 0 });
    expect(megabytes.closed).to.equal(1);
  });

  it('does not give the documents of one collection for another', () => {
    const cursors = new CursorTable(clock);
    const { cursorId } = cursors.open(results([1, 1]), 1);
    expect(() => cursors.next(cursorId, 'a.c', 1)).to.throw(CommandError, 'not found');
    cursors.close();
  });

  it('closes results whose walk fails', () => {
    const cursors = new CursorTable(clock);
    const failing = results([1]);
    const documents = (function* (): Generator<Buffer> {
      yield Buffer.alloc(1);
      throw new Error('damaged');
    })();
    expect(() => cursors.open(Object.assign(failing, { documents }), 5)).to.throw('damaged');
    expect(failing.closed).to.equal(1);
  });

  it('refuses more cursors than there is room for', () => {
    const cursors = new CursorTable(clock);
    for (let n = 0; n < 512; n++) cursors.open(results([1, 1]), 1);
    const last = results([1, 1]);
    expect(() => cursors.open(last, 1)).to.throw(CommandError, '512');
    expect(last.closed).to.equal(1);
    cursors.close();
    expect(cursors.size).to.equal(0);
  });
});
