import { expect } from 'chai';
import { createLoginCode, isLoginCode, loginCodeDigest } from './login-code.js';

describe('a login code', () => {
  it('has 75 random bits, in groups that are easy to type', () => {
    const codes = new Set(Array.from({ length: 1_000 }, () => createLoginCode()));
    expect(codes.size).to.equal(1_000);
    for (const code of codes) expect(code).to.match(/^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){2}$/);
  });

  it('is accepted in each way of writing it', () => {
    const digest = loginCodeDigest('k1m29-xq04t-nd8ws');
    for (const typed of ['k1m29-xq04t-nd8ws', 'K1M29XQ04TND8WS', ' klm29 xqo4t nd8ws', 'kIm29-xqO4t-nd8ws'])
      expect(isLoginCode(typed, digest), typed).to.equal(true);
    for (const typed of ['', 'k1m29-xq04t-nd8wt', 'k1m29-xq04t-nd8w'])
      expect(isLoginCode(typed, digest), typed).to.equal(false);
  });
});
