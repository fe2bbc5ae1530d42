import { expect } from 'chai';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { UsageError } from './usage-error.js';
import { factsOf, tableOf } from './columns.js';
import { Failure, failureObject, failureText, Interrupted, statusOf } from './failure.js';
import { plainLine, plainText } from './plain-text.js';
import { Progress } from './progress.js';
import { durationText, sizeText } from './sizes.js';
import type { Terminal } from './terminal.js';

const refusal = (kind: CloudPhoneError['kind'], requestId?: string): CloudPhoneError =>
  new CloudPhoneError('No.', { kind, status: 400, ...(requestId !== undefined && { requestId }) });

describe('the output', () => {
  it('shows control characters of phones as text, so that they do nothing to the terminal', () => {
    expect(plainText('a\u001b]0;title\u0007\tb\nc\u009b2J\r')).to.equal('a\\x1b]0;title\\x07\tb\nc\\x9b2J\\x0d');
    expect(plainLine('a\tb\nc')).to.equal('a b\\nc');
  });

  it('has tables with a dash for what is absent', () => {
    const table = tableOf(
      [{ a: 'demo' }, { a: 'x', b: 7 }],
      [
        ['NAME', ({ a }) => a],
        ['COUNT', ({ b }: { a: string; b?: number }) => b],
      ],
    );
    expect(table).to.equal('NAME  COUNT\ndemo  -\nx     7');
    expect(
      factsOf([
        ['a', 'one'],
        ['longer', 2],
        ['none', undefined],
      ]),
    ).to.equal('a       one\nlonger  2');
  });

  it('has sizes and times for people', () => {
    expect([0, 999, 48_213, 2 ** 31].map(sizeText)).to.deep.equal(['0 B', '999 B', '48.2 KB', '2.1 GB']);
    expect([5, 65, 3_725].map(durationText)).to.deep.equal(['5 s', '1 min', '1 h 2 min']);
  });

  it('has an exit status for each kind of failure', () => {
    const kinds = ['bad_request', 'unreachable', 'unavailable', 'not_found', 'busy', 'timeout', 'forbidden'] as const;
    expect(kinds.map((kind) => statusOf(refusal(kind)))).to.deep.equal([1, 3, 3, 4, 5, 124, 1]);
    expect(
      [new UsageError('x'), new Failure('x'), new Interrupted(143), new Error('x'), 'x'].map(statusOf),
    ).to.deep.equal([2, 1, 143, 1, 1]);
  });

  it('says what to do after a failure, and gives programs its kind', () => {
    expect(failureText(refusal('unauthorized'))).to.equal('No.\nLog in with a good key: cloudphone login');
    expect(failureText(refusal('internal', 'req-1'))).to.include('req-1');
    expect(failureObject(refusal('busy'))).to.deep.equal({ error: 'busy', message: 'No.' });
    expect(failureObject(new UsageError('x'))).to.deep.equal({ error: 'usage', message: 'x' });
  });

  it('draws progress on a terminal alone, and nothing twice', () => {
    const drawn: string[] = [];
    const terminal = (showsProgress: boolean) =>
      ({ showsProgress, draw: (text: string) => drawn.push(text) }) as unknown as Terminal;
    const unseen = new Progress(terminal(false));
    unseen.show('start demo', 50);
    unseen.clear();
    expect(drawn).to.deep.equal([]);
    const progress = new Progress(terminal(true));
    progress.show('start demo', 50);
    progress.show('start demo', 50);
    progress.clear();
    expect(drawn).to.deep.equal([`\rstart demo [${'#'.repeat(12)}${'.'.repeat(12)}] 50%\u001b[K`, '\r\u001b[K']);
  });
});
