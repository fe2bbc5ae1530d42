import { expect } from 'chai';
import { bytesOf, quantityOf } from './quantity.js';

describe('a quantity of Kubernetes', () => {
  for (const [text, number] of [
    ['512Mi', 512 * 1024 ** 2],
    ['1.5Gi', 1.5 * 1024 ** 3],
    ['128974848', 128_974_848],
    ['129e6', 129e6],
    ['129M', 129e6],
    ['1E', 1e18],
    ['250m', 0.25],
    ['-3', -3],
    [undefined, 0],
  ] as const)
    it(`of ${text ?? 'nothing'} is ${number}`, () => expect(quantityOf(text)).to.equal(number));

  it('of parts of bytes is rounded', () => expect(bytesOf('1500m')).to.equal(2));

  for (const text of ['one', '1 Gi', '1Xi', 'Mi'])
    it(`is refused for "${text}"`, () =>
      expect(() => quantityOf(text)).to.throw(`not a quantity of Kubernetes: ${text}`));
});
