import { expect } from 'chai';
import { monthNumber, monthStart } from './months.js';

describe('months of a plan', () => {
  const at = (text: string): number => Date.parse(text);
  const days = (start: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => new Date(monthStart(at(start), n)).toISOString());

  it('begin on the same day and time, or on the last day of a short month', () => {
    expect(days('2027-01-31T10:20:30.500Z', 5)).to.deep.equal([
      '2027-01-31T10:20:30.500Z',
      '2027-02-28T10:20:30.500Z',
      '2027-03-31T10:20:30.500Z',
      '2027-04-30T10:20:30.500Z',
      '2027-05-31T10:20:30.500Z',
    ]);
    expect(days('2027-11-30T23:59:59Z', 5).at(-1)).to.equal('2028-03-30T23:59:59.000Z');
    expect(days('2027-11-30T23:59:59Z', 4).at(-1)).to.equal('2028-02-29T23:59:59.000Z');
  });

  it('are numbered so that each moment is in exactly one', () => {
    const start = at('2027-01-31T10:00:00Z');
    for (let n = 0; n < 40; n++) {
      const begin = monthStart(start, n);
      expect(monthNumber(start, begin)).to.equal(n);
      expect(monthNumber(start, begin - 1)).to.equal(Math.max(0, n - 1));
    }
    expect(monthNumber(start, start - 86_400_000)).to.equal(0);
  });
});
