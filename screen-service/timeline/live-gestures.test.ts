import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { type InputEvent, InputEventSchema, TouchPhase } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import { LiveGestures } from './live-gestures.js';

describe('gestures on a live screen', () => {
  let clock: FakeClock;
  let seen: InputEvent[][];
  let gestures: LiveGestures;
  beforeEach(() => {
    clock = new FakeClock();
    seen = [];
    gestures = new LiveGestures(clock, ({ events }) => seen.push(events));
  });

  const touch = (phase: TouchPhase, x = 0): InputEvent =>
    create(InputEventSchema, { kind: { case: 'touch', value: { phase, x, y: 5 } } });
  const { DOWN, MOVE, UP } = TouchPhase;

  it('end with a pause after the last finger', () => {
    gestures.add([touch(DOWN)], true);
    clock.turn(5_000);
    gestures.add([touch(MOVE, 5), touch(UP, 5)], false);
    clock.turn(599);
    expect([seen.length, gestures.isOpen]).to.deep.equal([0, true]);
    clock.turn(1);
    expect([seen.map((events) => events.length), gestures.isOpen]).to.deep.equal([[3], false]);
  });

  it('do not end while input is on its way, as it belongs to the screen before them', () => {
    gestures.add([touch(DOWN), touch(UP)], false);
    clock.turn(590);
    gestures.wait();
    clock.turn(5_000);
    expect(gestures.isOpen).to.equal(true);
    gestures.add([touch(DOWN)], true);
    gestures.add([touch(UP)], false);
    clock.turn(600);
    expect(seen.map((events) => events.length)).to.deep.equal([4]);
  });

  it('end also where the input on its way was refused', () => {
    gestures.wait();
    gestures.add([], false);
    clock.turn(600);
    expect(seen).to.deep.equal([]);
    gestures.add([touch(DOWN), touch(UP)], false);
    gestures.wait();
    gestures.add([], false);
    clock.turn(600);
    expect(seen).to.have.length(1);
  });

  it('join typing, and end with their viewer', () => {
    const key = create(InputEventSchema, { kind: { case: 'key', value: { name: 'a' } } });
    for (let times = 0; times < 5; times++) {
      gestures.add([key], false);
      clock.turn(300);
    }
    gestures.end();
    gestures.end();
    clock.turn(1_000);
    expect(seen.map((events) => events.length)).to.deep.equal([5]);
  });

  it('have at most 200 moves, and their end', () => {
    gestures.add([touch(DOWN)], true);
    for (let x = 0; x < 2_000; x++) gestures.add([touch(MOVE, x)], true);
    gestures.add([touch(UP, 2_000)], false);
    clock.turn(600);
    expect(seen[0]).to.have.length(201);
    expect(seen[0]?.at(-1)?.kind.value).to.include({ phase: UP, x: 2_000 });
  });

  it('end at 400 events of other kinds, as of a viewer that never pauses', () => {
    const wait = create(InputEventSchema, { kind: { case: 'wait', value: { ms: 0 } } });
    for (let times = 0; times < 50; times++) gestures.add(Array<InputEvent>(100).fill(wait), times % 2 === 0);
    expect(seen.map((events) => events.length)).to.deep.equal(Array<number>(12).fill(400));
    gestures.end();
    expect(seen.at(-1)).to.have.length(200);
  });
});
