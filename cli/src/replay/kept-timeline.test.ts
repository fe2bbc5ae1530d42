import { expect } from 'chai';
import { CloudPhone } from '../../../client/src/cloud-phone.js';
import { KeptTimeline } from './kept-timeline.js';

describe('a timeline that is kept on', () => {
  let isOn: boolean;
  let changes: boolean[];
  /** How many responses of changes are lost. */
  let lost: number;
  let phone: CloudPhone;
  beforeEach(() => {
    [isOn, changes, lost] = [false, [], 0];
    const answer = async (request: Request): Promise<Response> => {
      if (request.method === 'PATCH') {
        isOn = ((await request.json()) as { timeline: boolean }).timeline;
        changes.push(isOn);
        if (lost-- > 0) return Response.json({ error: 'bad_request', message: 'Lost.' }, { status: 400 });
      }
      return Response.json({ device: { name: 'demo', timeline: isOn } });
    };
    phone = new CloudPhone({
      url: 'http://127.0.0.1:1/v1',
      key: 'k',
      fetch: async (...args: Parameters<typeof fetch>) => answer(new Request(...args)),
    });
  });

  it('is off again afterwards where it was off, and stays on where it was on', async () => {
    const kept = new KeptTimeline(phone, 'demo');
    expect([await kept.keepOn(), await kept.keepOn(), isOn]).to.deep.equal([true, false, true]);
    expect([await kept.restore(), await kept.restore(), isOn]).to.deep.equal([true, false, false]);
    isOn = true;
    const other = new KeptTimeline(phone, 'demo');
    expect([await other.keepOn(), await other.restore(), isOn]).to.deep.equal([false, false, true]);
    expect(changes).to.deep.equal([true, false]);
  });

  it('outlasts another recording of the phone, and is off after the last one', async () => {
    const [first, second] = [new KeptTimeline(phone, 'demo'), new KeptTimeline(phone, 'demo')];
    await first.keepOn();
    await second.keepOn();
    await first.restore();
    expect([await second.keepOn(), isOn]).to.deep.equal([true, true]);
    await second.restore();
    expect(isOn).to.equal(false);
  });

  it('is turned off where it was turned on and the response was lost', async () => {
    const kept = new KeptTimeline(phone, 'demo');
    lost = 1;
    expect(await kept.keepOn().catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(isOn).to.equal(true);
    await kept.restore();
    expect(isOn).to.equal(false);
  });
});
