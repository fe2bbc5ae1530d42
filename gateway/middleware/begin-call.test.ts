import { expect } from 'chai';
import Koa from 'koa';
import { OpenCall } from '../../kit/call/call.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { State } from '../context.js';
import { serveInside } from '../http/inner-request.js';
import { EDGE_LIMITS } from '../limits.js';
import { beginCall } from './begin-call.js';

describe('the call of a request that a tool sends', () => {
  const clock = new FakeClock();
  const app = new Koa<State>();
  app.use(beginCall({ clock, limits: EDGE_LIMITS, isDraining: () => false, open: new Set() }));
  app.use((ctx) => {
    const { call } = ctx.state;
    ctx.body = { id: call.requestId, leftMs: call.remainingMs(), isAborted: call.signal.aborted };
  });
  const handle = app.callback();

  async function innerOf(call: OpenCall): Promise<unknown> {
    const outer = { call, host: 'localhost', isSecure: false, isPaid: false };
    const { signal } = new AbortController();
    const sent = new Request('http://localhost/v1/devices');
    return (await serveInside((request, response) => void handle(request, response), sent, { outer, signal })).json();
  }

  it('has the time of a request, and after the end of the call around it a few seconds to tidy up', async () => {
    const call = new OpenCall({ clock, timeoutMs: 1_000, requestId: 'a', trace: { traceparent: '' } });
    expect(await innerOf(call)).to.deep.equal({ id: 'a', leftMs: EDGE_LIMITS.callTimeoutMs, isAborted: false });
    call.hangUp();
    expect(await innerOf(call)).to.deep.equal({ id: 'a', leftMs: 5_000, isAborted: false });
    expect(clock.timers).to.equal(0);
  });
});
