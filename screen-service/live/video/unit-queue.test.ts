import { expect } from 'chai';
import { UnitQueue } from './unit-queue.js';
import type { VideoUnit } from './video-unit.js';

const configuration = { codec: 'avc1.42C01F', width: 720, height: 1280, data: Buffer.alloc(0) };

function unit(cameMs: number, isKey = false, bytes = 1_000): VideoUnit {
  return { data: Buffer.alloc(bytes), isKey, configuration, cameMs };
}

describe('the units that wait for a viewer', () => {
  let queue: UnitQueue;
  const taken = (): number[] => {
    const times: number[] = [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) times.push(next.cameMs);
    return times;
  };

  beforeEach(() => {
    queue = new UnitQueue();
  });

  it('begin with a key frame', () => {
    queue.push(unit(1));
    expect(queue.head).to.equal(undefined);
    expect(queue.needsKey).to.equal(true);
    queue.push(unit(2, true));
    queue.push(unit(3));
    expect(queue.needsKey).to.equal(false);
    expect(taken()).to.deep.equal([2, 3]);
  });

  it('are dropped up to the next key frame when the viewer is too slow', () => {
    queue.push(unit(0, true));
    for (let at = 1; at <= 20; at++) queue.push(unit(at * 33));
    expect(queue.needsKey).to.equal(true);
    expect(queue.head).to.equal(undefined);
    queue.push(unit(700));
    queue.push(unit(733, true));
    queue.push(unit(766));
    expect(taken()).to.deep.equal([733, 766]);
  });

  it('take no more memory than a few pictures', () => {
    queue.push(unit(0, true));
    for (let at = 1; at <= 10; at++) queue.push(unit(at, false, 1_000_000));
    expect(queue.head).to.equal(undefined);
  });

  it('give way to a newer key frame', () => {
    for (const one of [unit(0, true), unit(33), unit(66), unit(70, true), unit(99)]) queue.push(one);
    expect(taken()).to.deep.equal([70, 99]);
  });
});
