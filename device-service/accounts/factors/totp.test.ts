import { expect } from 'chai';
import { createTotpSecret, stepOfCode } from './totp.js';

/** "12345678901234567890" in base32, the secret of RFC 6238. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an app', () => {
  // Appendix B of RFC 6238, SHA-1; the last six of its eight digits.
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    it(`are those of RFC 6238 at ${seconds} s`, () => {
      expect(stepOfCode(SECRET, code, 0, seconds * 1000)).to.equal(Math.floor(seconds / 30));
    });
  }

  it('are taken one step early or late, and no more', () => {
    // 287082 is the code of step 1: from 30 s to 59 s.
    const isRight = (seconds: number) => stepOfCode(SECRET, '287082', 0, seconds * 1000) !== undefined;
    expect([0, 29, 30, 59, 60, 89].map(isRight)).to.deep.equal([true, true, true, true, true, true]);
    expect([90, 119, 3_000].map(isRight)).to.deep.equal([false, false, false]);
  });

  it('are used up with the step that was used, and with those before', () => {
    expect(stepOfCode(SECRET, '287082', 0, 59_000)).to.equal(1);
    expect(stepOfCode(SECRET, '287082', 1, 59_000)).to.equal(undefined);
    expect(stepOfCode(SECRET, '287082', 2, 59_000)).to.equal(undefined);
  });

  it('have six digits and nothing else', () => {
    for (const text of ['', '28708', '2870820', '94287082', 'abcdef', '28708２', ' 287082'])
      expect(stepOfCode(SECRET, text, 0, 59_000), text).to.equal(undefined);
  });

  it('come from a secret of 160 bits, different each time', () => {
    const [one, other] = [createTotpSecret('ann@example.com'), createTotpSecret('ann@example.com')];
    expect(one.secret).to.match(/^[A-Z2-7]{32}$/);
    expect(one.secret).not.to.equal(other.secret);
    expect(new URL(one.uri).searchParams.get('secret')).to.equal(one.secret);
    expect(decodeURIComponent(new URL(one.uri).pathname)).to.include('ann@example.com');
  });
});
