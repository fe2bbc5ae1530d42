import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { Throttle } from './throttle.js';

describe('the throttle of signing in', () => {
  let clock: FakeClock;
  let throttle: Throttle;

  beforeEach(() => {
    clock = new FakeClock();
    throttle = new Throttle(clock);
  });

  /** Returns how many of `attempts` get as far as the password. */
  function guess(attempts: number, email: (n: number) => string, address: (n: number) => string): number {
    let checked = 0;
    for (let n = 0; n < attempts; n++) {
      try {
        throttle.signIn(email(n), address(n));
        checked++;
      } catch (error) {
        if (!(error instanceof ApiError && error.kind === 'rate_limited')) throw error;
      }
    }
    return checked;
  }

  it('bounds guesses for an e-mail from an address, for an e-mail, and from an address', () => {
    expect(guess(1_000, () => 'a', () => '192.0.2.1')).to.equal(10); // prettier-ignore
    expect(guess(1_000, () => 'b', (n) => `198.51.100.${n}`)).to.equal(50); // prettier-ignore
    expect(guess(1_000, (n) => `c-${n}`, () => '192.0.2.2')).to.equal(100); // prettier-ignore
  });

  it('returns the time of the next try, and allows it then', () => {
    guess(10, () => 'a', () => '192.0.2.1'); // prettier-ignore
    clock.turn(60_000);
    try {
      throttle.signIn('a', '192.0.2.1');
      expect.fail('not refused');
    } catch (error) {
      expect(error).to.include({ kind: 'rate_limited', retryAfterS: 14 * 60 });
    }
    clock.turn(14 * 60_000);
    throttle.signIn('a', '192.0.2.1');
  });

  it('leaves the owner at another address alone, however long one address guesses', () => {
    expect(guess(1_000, () => 'a', () => '192.0.2.1')).to.equal(10); // prettier-ignore
    expect(guess(1, () => 'a', () => '198.51.100.1')).to.equal(1); // prettier-ignore
    // Another e-mail is not refused at the guesser's address either.
    expect(guess(1, () => 'b', () => '192.0.2.1')).to.equal(1); // prettier-ignore
  });

  /** Returns how many of `attempts` with the right password are let through. */
  function signIns(attempts: number, email: (n: number) => string, address: string): number {
    let opened = 0;
    for (let n = 0; n < attempts; n++) {
      opened += guess(1, () => email(n), () => address); // prettier-ignore
      throttle.signedIn(email(n), address);
    }
    return opened;
  }

  it('takes the right password for no guess', () => {
    expect(signIns(50, () => 'a', '192.0.2.1')).to.equal(50);
    expect(guess(20, () => 'b', () => '192.0.2.1')).to.equal(10); // prettier-ignore
  });

  it('bounds right passwords for an e-mail from an address, and from an address', () => {
    expect(signIns(1_000, () => 'a', '192.0.2.1')).to.equal(60);
    expect(signIns(1, () => 'a', '198.51.100.1')).to.equal(1);
    expect(signIns(1_000, (n) => `b-${n}`, '192.0.2.2')).to.equal(300);
  });

  it('does not forget one e-mail for the many that an address goes on to try', () => {
    guess(60, () => 'a', (n) => `198.51.100.${n}`); // prettier-ignore
    // This is more than the throttle remembers.
    expect(guess(100_001, (n) => `flood-${n}`, () => '192.0.2.9')).to.equal(100); // prettier-ignore
    expect(guess(1, () => 'a', () => '192.0.2.1')).to.equal(0); // prettier-ignore
  });

  it('bounds new accounts from an address', () => {
    for (let times = 0; times < 100; times++) throttle.signUp('192.0.2.1');
    expect(() => throttle.signUp('192.0.2.1'))
      .to.throw(ApiError)
      .with.property('kind', 'rate_limited');
    throttle.signUp('192.0.2.2');
  });
});
