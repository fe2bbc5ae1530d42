import { expect } from 'chai';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

describe('timestamps', () => {
  const read: [text: string, written: string][] = [
    ['2026-11-20T17:00:00Z', '2026-11-20T17:00:00.000Z'],
    ['2026-11-20t17:00:00.5z', '2026-11-20T17:00:00.500Z'],
    ['2026-11-20T17:00:00.123456789Z', '2026-11-20T17:00:00.123Z'],
    ['2026-11-20T17:00:00+02:30', '2026-11-20T14:30:00.000Z'],
    ['2026-01-01T00:00:00-01:00', '2026-01-01T01:00:00.000Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ];
  for (const [text, written] of read) {
    it(`reads ${text} and writes it as ${written}`, () => {
      const time = parseTimestamp(text);
      expect(time).not.to.equal(undefined);
      expect(formatTimestamp(time!)).to.equal(written);
    });
  }

  it('keeps nanoseconds inside', () => {
    expect(parseTimestamp('2026-11-20T17:00:00.123456789Z')?.nanos).to.equal(123_456_789);
  });

  for (const text of [
    '',
    '2026-11-20',
    '2026-11-20T17:00:00',
    '2026-11-20 17:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-11-00T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T17:60:00Z',
    '2026-11-20T17:00:60Z',
    '2026-11-20T17:00:00.Z',
    '2026-11-20T17:00:00+2:00',
    '2026-11-20T17:00:00+24:00',
    '0000-01-01T00:00:00Z',
    '1795190400',
  ]) {
    it(`does not read "${text}"`, () => {
      expect(parseTimestamp(text)).to.equal(undefined);
    });
  }
});
