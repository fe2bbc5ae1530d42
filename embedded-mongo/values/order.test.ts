import { expect } from 'chai';
import { Binary, ObjectId } from 'bson';
import { pick, seededRandom } from '../../testing/seeded-random.js';
import { afterPrefix, appendIndexValue, KeyBytes } from './index-key.js';
import { compareValues } from './order.js';

describe('the bytes of an index value', () => {
  for (const seed of [1]) {
    it(`sort like the values, in both directions (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const values = Array.from({ length: 300 }, () => randomValue(random, 3));
      for (const left of values) {
        for (const right of values) {
          const order = Math.sign(compareValues(left, right));
          expect(compareKeys(left, right, 1), JSON.stringify([left, right])).to.equal(order);
          // A sign of 0 must not become -0.
          expect(compareKeys(left, right, -1), JSON.stringify([left, right])).to.equal(order === 0 ? 0 : -order);
        }
      }
    });

    it(`end themselves: none is the beginning of another (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const keys = Array.from({ length: 300 }, () => keyOf(randomValue(random, 3), 1));
      for (const key of keys)
        for (const other of keys)
          if (!key.equals(other)) expect(other.subarray(0, key.length).equals(key)).to.equal(false);
    });
  }

  it('are as in the format', () => {
    expect(keyOf('a\0b', 1).toString('hex')).to.equal('0f6100ff620000');
    expect(keyOf(1, 1).toString('hex')).to.equal('0abff0000000000000');
    expect(keyOf(-1, 1).toString('hex')).to.equal('0a400fffffffffffff');
    expect(keyOf(-0, 1).equals(keyOf(0, 1))).to.equal(true);
    expect(keyOf(null, -1).toString('hex')).to.equal('fa');
    expect(keyOf([true, null], 1).toString('hex')).to.equal('1928010500');
  });

  it('keep every byte of a long value', () => {
    const long = 'x'.repeat(1_000);
    expect(keyOf(long, 1)).to.have.length(1 + 1_000 + 2);
    expect(keyOf([long, 1, true], 1).subarray(1, 1_001).toString()).to.equal(`\x0f${'x'.repeat(999)}`);
  });

  it('have a least key above all that begin with them', () => {
    expect(afterPrefix(Buffer.from([1, 2])).equals(Buffer.from([1, 3]))).to.equal(true);
    expect(afterPrefix(Buffer.from([1, 255, 255])).equals(Buffer.from([2]))).to.equal(true);
  });
});

function keyOf(value: unknown, direction: 1 | -1): Buffer {
  const key = new KeyBytes();
  appendIndexValue(key, value, direction);
  return key.take();
}

function compareKeys(left: unknown, right: unknown, direction: 1 | -1): number {
  return Buffer.compare(keyOf(left, direction), keyOf(right, direction));
}

const NUMBERS = [0, -0, 1, -1, 1.5, -1.5, 2 ** 31, 2 ** 53, -(2 ** 53), NaN, Infinity, -Infinity, Number.MIN_VALUE];
const STRINGS = ['', 'a', 'a\0', 'a\0b', 'ab', 'b', 'é', '\uffee', '👋', '\0', 'x'.repeat(100)];

function randomValue(random: () => number, depth: number): unknown {
  switch (Math.floor(random() * (depth > 0 ? 9 : 7))) {
    case 0:
      return null;
    case 1:
      return pick(random, NUMBERS);
    case 2:
      return pick(random, STRINGS);
    case 3:
      return random() < 0.5;
    case 4:
      return new Date(Math.floor((random() - 0.5) * 1e4));
    case 5:
      return new ObjectId(Buffer.alloc(12, Math.floor(random() * 256)));
    case 6:
      return new Binary(Buffer.from([1, 255, 0].slice(Math.floor(random() * 3))), random() < 0.5 ? 0 : 4);
    case 7:
      return Array.from({ length: Math.floor(random() * 3) }, () => randomValue(random, depth - 1));
    default: {
      const names = ['a', 'b', 'ab', ''].filter(() => random() < 0.4);
      return Object.fromEntries(names.map((name) => [name, randomValue(random, depth - 1)]));
    }
  }
}
