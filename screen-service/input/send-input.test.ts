import { expect } from 'chai';
import { openTestCall } from '../../testing/open-test-call.js';
import { drag } from './finger-paths.js';
import type { RawEvent } from './plan-input.js';
import { sendInput } from './send-input.js';
import type { TouchedPhone } from './touched-phone.js';
import type { HeldFingers } from './touch/fingers.js';

describe('input with waits', () => {
  /** Returns what is sent to the phone, awaited of it, and slept between, in order. */
  async function orderOf(events: readonly RawEvent[], takenMs = 0): Promise<string[]> {
    const order: string[] = [];
    let nowMs = 0;
    const fingers: HeldFingers = {
      down: new Map(),
      most: 1,
      touch: async (touches) => void order.push(touches.map(({ phase }) => phase).join('+')),
      taken: async () => {
        nowMs += takenMs;
        order.push('taken');
      },
    };
    const phone = {
      fingers: { use: (_call: unknown, _holder: string, work: (held: HeldFingers) => Promise<void>) => work(fingers) },
      phone: { screen: { width: 100, height: 100, density: 160 } },
      clock: { monotonicMs: () => nowMs, sleep: async (ms: number) => void order.push(`${Math.round(ms)} ms`) },
    } as unknown as TouchedPhone;
    await sendInput(openTestCall(), phone, events, 'a', { screen: { width: 100, height: 100 } });
    return order;
  }

  it('begins the rest of a finger before it goes up once its way has arrived', async () => {
    const order = await orderOf(drag({ x: 1, y: 1 }, { x: 1, y: 90 }, { holdMs: 0, moveMs: 120, restMs: 100 }));
    expect(order.slice(0, 3)).to.deep.equal(['down+move', '10 ms', 'move']);
    expect(order.slice(-5)).to.deep.equal(['move', 'taken', '110 ms', 'up', 'taken']);
    expect(order.filter((one) => one === 'taken')).to.have.length(2);
    const late = await orderOf(drag({ x: 1, y: 1 }, { x: 1, y: 90 }, { holdMs: 0, moveMs: 120, restMs: 100 }), 90);
    expect(late.slice(-4)).to.deep.equal(['taken', '50 ms', 'up', 'taken']);
  });

  const at = { kind: 'touch', pointer: 0, x: 1, y: 1 } as const;
  const [down, move, up] = (['down', 'move', 'up'] as const).map((phase): RawEvent => ({ ...at, phase }));
  const wait = (ms: number): RawEvent => ({ kind: 'wait', ms });

  it('keeps the times of taps, holds and flings, whose finger is not meant to rest', async () => {
    expect(await orderOf([down!, wait(500), up!])).to.deep.equal(['down', '500 ms', 'up', 'taken']);
    expect(await orderOf([down!, move!, wait(16), up!])).to.deep.equal(['down+move', '16 ms', 'up', 'taken']);
    expect(await orderOf([down!, wait(500), move!, up!])).to.deep.equal(['down', '500 ms', 'move+up', 'taken']);
  });
});
