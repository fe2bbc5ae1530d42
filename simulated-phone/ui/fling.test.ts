import { expect } from 'chai';
import { fling, slideTo } from './fling.js';

const OPEN = { least: 0, most: 1e6 };

describe('a fling', () => {
  it('does not happen when the finger was slow', () => {
    expect(fling(0, 100, 0.04, OPEN)).to.equal(undefined);
  });

  it('slows down and comes to rest where it said it would', () => {
    const glide = fling(1000, 0, 3, OPEN);
    if (!glide) throw new Error('no fling');
    const quarter = glide.durationMs / 4;
    const steps = [0, 1, 2, 3, 4].map((at) => glide.at(1000 + at * quarter));
    const gains = steps.slice(1).map((place, at) => place - (steps[at] ?? 0));
    for (const [at, gain] of gains.slice(1).entries()) expect(gain).to.be.below(gains[at] ?? 0);
    expect(glide.at(1e9)).to.equal(glide.at(1000 + glide.durationMs));
    expect(glide.durationMs).to.be.within(800, 2000);
  });

  it('ends at the wall, at once when it gets there', () => {
    const glide = fling(0, 50, -5, OPEN);
    expect(glide?.at(1e9)).to.equal(0);
    expect(glide?.durationMs).to.be.below(20);
    expect(fling(0, 0, -5, OPEN)).to.equal(undefined);
  });

  it('is never faster than Android lets it be', () => {
    expect(fling(0, 0, 100, OPEN)?.at(1e9)).to.equal(fling(0, 0, 8, OPEN)?.at(1e9));
  });

  it('is one picture in each frame', () => {
    const glide = slideTo(0, 0, 100, 260);
    expect(glide.at(17)).to.equal(glide.at(33));
    expect(glide.at(17)).to.not.equal(glide.at(34));
    expect(glide.at(260)).to.equal(100);
  });
});
