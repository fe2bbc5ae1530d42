import { expect } from 'chai';
import { panelModules } from './panel-module.js';

interface StepUp {
  onStepUp: (ask: () => Promise<boolean>) => () => void;
  sendConfirmed: (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>;
}

interface Links {
  tokenIn: (fragment: string) => string | undefined;
}

interface ProviderFaults {
  providerFaultIn: (fragment: string) => Error | null;
}

const REFUSED = JSON.stringify({ error: 'forbidden', message: 'Confirm that it is you: POST /v1/session/confirm.' });

/** A service that refuses until the person has confirmed, and notes the bodies that came. */
function serviceThat(isConfirmed: () => boolean) {
  const bodies: string[] = [];
  const send = async (request: Request): Promise<Response> => {
    bodies.push(await request.text());
    return isConfirmed() ? new Response('{}') : new Response(REFUSED, { status: 403 });
  };
  return { bodies, send };
}

const change = (body: string): Request => new Request('http://panel/v1/keys', { method: 'POST', body });

describe('a call that is refused until the person confirms', () => {
  let stepUp: StepUp;
  let links: Links;
  let faults: ProviderFaults;
  before(async () => {
    [stepUp, links, faults] = await panelModules<[StepUp, Links, ProviderFaults]>(
      'api/step-up.ts',
      'session/link-token.ts',
      'session/provider-fault.ts',
    );
  });

  it('is sent once more with the same body, after one question for all calls that wait', async () => {
    let asked = 0;
    let isConfirmed = false;
    const { bodies, send } = serviceThat(() => isConfirmed);
    let confirm: (is: boolean) => void = () => undefined;
    const end = stepUp.onStepUp(() => {
      asked += 1;
      return new Promise((resolve) => (confirm = resolve));
    });
    const calls = ['a', 'b', 'c'].map((body) => stepUp.sendConfirmed(change(body), send));
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    isConfirmed = true;
    confirm(true);
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(asked).to.equal(1);
    expect(bodies.toSorted()).to.deep.equal(['a', 'a', 'b', 'b', 'c', 'c']);
    end();
  });

  it('keeps its refusal, with its text, when the person cancels', async () => {
    const { bodies, send } = serviceThat(() => false);
    const end = stepUp.onStepUp(() => Promise.resolve(false));
    const response = await stepUp.sendConfirmed(change('a'), send);
    expect(response.status).to.equal(403);
    expect(await response.text()).to.equal(REFUSED);
    expect(bodies).to.deep.equal(['a']);
    end();
  });

  it('is not asked about twice in a row, nor for calls that read or are forbidden for another reason', async () => {
    let asked = 0;
    const end = stepUp.onStepUp(() => {
      asked += 1;
      return Promise.resolve(true);
    });
    const { bodies, send } = serviceThat(() => false);
    expect((await stepUp.sendConfirmed(change('a'), send)).status).to.equal(403);
    expect([asked, bodies.length]).to.deep.equal([1, 2]);
    const other = (): Promise<Response> => Promise.resolve(new Response('{"message": "no"}', { status: 403 }));
    expect(await (await stepUp.sendConfirmed(change('a'), other)).text()).to.equal('{"message": "no"}');
    await stepUp.sendConfirmed(new Request('http://panel/v1/keys'), send);
    expect(asked).to.equal(1);
    end();
  });

  it('keeps its refusal where the one who asks has gone while it was on its way', async () => {
    const end = stepUp.onStepUp(() => Promise.resolve(true));
    const { bodies, send } = serviceThat(() => false);
    const response = await stepUp.sendConfirmed(change('a'), (request) => {
      end();
      return send(request);
    });
    expect(response.status).to.equal(403);
    expect(bodies).to.deep.equal(['a']);
  });

  it('is not asked about where nobody can be asked', async () => {
    const { send } = serviceThat(() => false);
    expect((await stepUp.sendConfirmed(change('a'), send)).status).to.equal(403);
  });

  it('reads tokens and faults from fragments, and nothing else', () => {
    expect(links.tokenIn(`#inv_${'a'.repeat(43)}`)).to.equal(`inv_${'a'.repeat(43)}`);
    for (const fragment of ['', '#', '#inv_', '#inv_short', `#inv_${'a'.repeat(200)}`, `#inv_${'a'.repeat(40)}/x`])
      expect(links.tokenIn(fragment), fragment).to.equal(undefined);
    expect(faults.providerFaultIn('')).to.equal(null);
    expect(faults.providerFaultIn('#error=<b>')).to.equal(null);
    expect(faults.providerFaultIn('#error=expired')?.message).to.contain('Begin again');
    expect(faults.providerFaultIn('#error=constructor')?.message).to.contain('did not work');
  });
});
