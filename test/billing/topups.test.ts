import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { openStripe } from '../../device-service/accounts/topups/stripe.js';
import { systemClock } from '../../kit/async/clock.js';
import { operator, type PanelClient, signIn, signUp } from '../access/people.js';
import { type Answer, RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { FakeStripe, sign, type SignedEvent, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from './fake-stripe.js';

const RETURN_URL = 'https://phones.example/panel?page=credit';

describe('top-ups by Stripe Checkout', () => {
  let stripe: FakeStripe;
  let world: World;
  let panel: PanelClient;
  let people = 0;
  let logged = '';

  before(async () => {
    stripe = await FakeStripe.start();
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged += chunk.toString();
        done();
      },
    });
    const config = { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: stripe.apiUrl };
    const log = pino({ level: 'trace' }, sink);
    world = await startWorld({ payments: await openStripe(config, systemClock), log });
  });
  after(async () => {
    await world.close();
    await stripe.close();
  });
  beforeEach(async () => {
    stripe.trouble = undefined;
    panel = await signUp(world, `buyer-${++people}@example.com`);
  });

  const open = (amount = '20.00'): Promise<Answer> =>
    panel.ask('POST', '/v1/topups', { amount, return_url: RETURN_URL });
  const opened = async (amount?: string): Promise<string> => {
    const response = await open(amount);
    expect(response.status, response.bytes.toString()).to.equal(201);
    return response.body.topup.id as string;
  };
  const send = ({ body, signature }: SignedEvent): Promise<Answer> =>
    new RestClient(world.mesh.url, undefined).post('/v1/stripe/events', body, {
      headers: { 'stripe-signature': signature, 'content-type': 'application/json; charset=utf-8' },
    });
  const accepted = async (event: SignedEvent): Promise<void> => {
    const response = await send(event);
    expect(response.status, response.bytes.toString()).to.equal(204);
  };
  const paid = (id: string): Promise<void> =>
    accepted(stripe.sessionEvent('checkout.session.completed', stripe.sessionOf(id)));
  const balance = async (): Promise<string> => (await panel.ask('GET', '/v1/account')).body.account.balance as string;
  const topup = async (id: string) => (await panel.ask('GET', `/v1/topups/${id}`)).body.topup;

  it('are shown to keys of all devices, and not to others', async () => {
    const id = await opened();
    for (const [devices, status] of [
      [['*'], 200],
      [{ label: 'team=qa' }, 403],
    ] as const) {
      const { key } = (await panel.ask('POST', '/v1/keys', { name: 'books', scope: 'read', devices })).body.key;
      const program = new RestClient(world.mesh.url, key as string);
      for (const path of ['/v1/topups', `/v1/topups/${id}`])
        expect((await program.get(path)).status, `${path} of ${JSON.stringify(devices)}`).to.equal(status);
    }
  });

  it('opens a page for the amount, which comes back to the caller', async () => {
    const response = await open('20.5');
    expect(response.status).to.equal(201);
    const { topup: one } = response.body;
    expect(one).to.include({ amount: '20.50', state: 'open' });
    expect(one.url).to.match(/^https:\/\/checkout\.stripe\.test\//);
    const { form } = stripe.sessionOf(one.id as string);
    expect(Object.fromEntries(form)).to.deep.include({
      mode: 'payment',
      client_reference_id: one.id,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '2050',
      'payment_intent_data[metadata][topup]': one.id,
      success_url: `${RETURN_URL}&topup=${one.id as string}`,
      cancel_url: `${RETURN_URL}&topup=${one.id as string}`,
      expires_at: String(Math.floor(Date.parse(one.expires_at as string) / 1000)),
    });
    expect(await balance()).to.equal('0.00');
    expect(await topup(one.id as string)).not.to.have.property('url');
  });

  it('adds the amount once it is paid, however often Stripe reports it', async () => {
    const id = await opened();
    const session = stripe.sessionOf(id);
    const events = Array.from({ length: 8 }, () => stripe.sessionEvent('checkout.session.completed', session));
    await Promise.all([...events, ...events].map(accepted));
    expect(await balance()).to.equal('20.00');
    const one = await topup(id);
    expect(one.state).to.equal('paid');
    expect(Date.parse(one.paid_at as string)).to.be.closeTo(Date.now(), 30_000);
    // A trial is for accounts without a top-up.
    expect((await panel.ask('GET', '/v1/account')).body.account.trial.minutes_left).to.equal(0);
  });

  it('waits for money that takes days, in any order of Stripe’s reports', async () => {
    const [first, second] = [await opened('5'), await opened('7')];
    const event = (type: string, id: string, status: string) =>
      accepted(stripe.sessionEvent(`checkout.session.${type}`, stripe.sessionOf(id), { payment_status: status }));
    await event('completed', first, 'unpaid');
    expect(await topup(first)).to.include({ state: 'pending' });
    expect(await balance()).to.equal('0.00');
    await event('async_payment_succeeded', first, 'paid');
    await event('completed', first, 'unpaid');
    expect(await topup(first)).to.include({ state: 'paid' });
    expect(await balance()).to.equal('5.00');

    await event('completed', second, 'unpaid');
    await event('async_payment_failed', second, 'unpaid');
    expect(await topup(second)).to.include({ state: 'failed' });
    expect(await balance()).to.equal('5.00');
  });

  it('takes off money that goes back to the payer, once for each refund and dispute', async () => {
    const id = await opened('10');
    const money = { payment_intent: stripe.sessionOf(id).paymentId, currency: 'usd' };
    const refund = (type: string, refundId: string, status: string, amount = 400) =>
      stripe.event(`refund.${type}`, { ...money, id: refundId, amount, status });
    const early = await send(refund('created', `re_${id}_1`, 'succeeded'));
    expect(early.status).to.equal(503);
    await paid(id);
    await accepted(refund('created', `re_${id}_1`, 'pending'));
    await accepted(refund('updated', `re_${id}_1`, 'succeeded'));
    expect(await balance()).to.equal('6.00');
    expect((await topup(id)).reversed).to.equal('4.00');

    // Fails, and the news that it was made comes after the news that it failed.
    await accepted(refund('failed', `re_${id}_2`, 'failed'));
    await accepted(refund('created', `re_${id}_2`, 'pending'));
    expect(await balance()).to.equal('6.00');

    const dispute = (type: string) =>
      stripe.event(`charge.dispute.${type}`, { ...money, id: `du_${id}`, amount: 1000 });
    await accepted(dispute('funds_withdrawn'));
    await accepted(dispute('funds_withdrawn'));
    expect(await balance()).to.equal('-4.00');
    expect((await topup(id)).reversed).to.equal('14.00');
    await accepted(dispute('funds_reinstated'));
    expect(await balance()).to.equal('6.00');
    expect((await topup(id)).reversed).to.equal('4.00');
  });

  it('refuses events that Stripe did not sign, or not lately, or that were changed on the way', async () => {
    const id = await opened();
    const { body, signature } = stripe.sessionEvent('checkout.session.completed', stripe.sessionOf(id));
    const [time = '', proof = ''] = signature.split(',');
    const now = Date.now();
    const forged: SignedEvent[] = [
      { body, signature: sign(body, now, 'whsec_other') },
      { body, signature: sign(body, now - 301_000) },
      { body, signature: '' },
      { body, signature: time },
      { body, signature: proof },
      { body, signature: `${time},v0=${proof.slice(3)}` },
      { body, signature: `t=${Number(time.slice(2)) + 1},${proof}` },
      { body: body.replace('2000', '9000'), signature },
      { body: `${body} `, signature },
      { body: JSON.stringify(JSON.parse(body)), signature },
      { body: '', signature: sign('', now) },
      { body: 'no json', signature: sign('no json', now) },
    ];
    for (const event of forged) {
      const response = await send(event);
      expect(response.status, event.signature).to.equal(400);
      expect(response.body.error).to.equal('bad_request');
    }
    expect(await balance()).to.equal('0.00');
    await accepted({ body, signature });
    expect(await balance()).to.equal('20.00');
  });

  it('does nothing about payments that are not ours', async () => {
    await accepted(stripe.event('customer.created', { id: 'cus_1' }));
    await accepted(stripe.event('checkout.session.completed', { id: 'cs_x', metadata: {}, payment_status: 'paid' }));
    await accepted(
      stripe.event('checkout.session.completed', {
        id: 'cs_y',
        metadata: { topup: 'top_of_another_installation' },
        payment_status: 'paid',
        currency: 'usd',
        amount_subtotal: 2000,
      }),
    );
    await accepted(
      stripe.event('refund.created', { id: 're_x', amount: 5, payment_intent: 'pi_x', status: 'succeeded' }),
    );
    await accepted(
      stripe.event('refund.created', { id: 're_y', amount: 5, payment_intent: null, status: 'succeeded' }),
    );
  });

  it('leaves a payment of another amount or currency to the operator', async () => {
    const id = await opened();
    const session = stripe.sessionOf(id);
    for (const change of [{ amount_subtotal: 1 }, { currency: 'eur' }]) {
      const response = await send(stripe.sessionEvent('checkout.session.completed', session, change));
      expect(response.status).to.equal(500);
    }
    expect(await balance()).to.equal('0.00');
  });

  it('leaves money that goes back in another currency to the operator', async () => {
    const id = await opened();
    await paid(id);
    const money = { payment_intent: stripe.sessionOf(id).paymentId, currency: 'jpy', amount: 3_000 };
    for (const event of [
      stripe.event('refund.created', { ...money, id: 're_jpy', status: 'succeeded' }),
      stripe.event('charge.dispute.funds_withdrawn', { ...money, id: 'du_jpy' }),
      stripe.event('charge.dispute.funds_reinstated', { ...money, id: 'du_jpy' }),
    ]) {
      expect((await send(event)).status).to.equal(500);
    }
    expect(await balance()).to.equal('20.00');
    // A refund of somebody else's payment changes nothing.
    const theirs = { ...money, payment_intent: 'pi_x', id: 're_theirs', status: 'succeeded' };
    await accepted(stripe.event('refund.created', theirs));
  });

  it('reports which amounts and return URLs are possible', async () => {
    expect((await panel.ask('GET', '/v1/topups/options')).body).to.deep.equal({
      online: true,
      least: '5.00',
      most: '10000.00',
    });
    for (const amount of ['4.99', '10000.01', '5.001', '-5', '5e1', 'five', '', '0x10']) {
      const response = await open(amount);
      expect(response.status, amount).to.equal(400);
      expect(response.body.message).to.contain('amount');
    }
    for (const return_url of [
      'javascript:alert(1)',
      '/panel',
      'ftp://x.example/',
      `https://x.example/${'a'.repeat(2_000)}`,
      // Good by RFC 3986, and nowhere that a browser could go.
      'https://?x',
      'https://x.example:99999/',
      'https://a%20b/',
      'https://1.2.3.4.5/',
      'http://[v1.x]/',
      'https://xn--/',
    ]) {
      const response = await panel.ask('POST', '/v1/topups', { amount: '5', return_url });
      expect(response.status, return_url).to.equal(400);
      expect(response.body.message).to.contain('return_url');
    }
    expect((await panel.ask('GET', '/v1/topups')).body.topups).to.deep.equal([]);
  });

  it('reports that Stripe is away, and works when it is back', async () => {
    for (const trouble of [500, 503, 429, 'hang_up'] as const) {
      stripe.trouble = trouble;
      const response = await open();
      expect(response.status, String(trouble)).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('5');
      expect(response.body.message).to.contain('Stripe');
    }
    // The cause is for the operator.
    for (const kind of ['StripeAPIError', 'StripeRateLimitError', 'StripeConnectionError']) {
      expect(logged).to.contain(kind);
    }
    // A key that Stripe does not know is the operator's to mend, and nobody else's to hear of.
    stripe.trouble = 401;
    const response = await open();
    expect(response.status).to.equal(500);
    expect(response.body.message).not.to.contain('Stripe');
    stripe.trouble = undefined;
    await paid(await opened());
    expect(await balance()).to.equal('20.00');
  });

  it('takes no response that another program on the way gave', async () => {
    for (const body of ['null', '"denied"', '7', '[]', '{}', '{"message": "denied"}', '<html>', '']) {
      for (const status of [200, 403]) {
        stripe.trouble = { status, body };
        expect((await open()).status, `${status} ${body}`).to.equal(503);
      }
    }
  });

  it('lists the account’s top-ups, newest first, and not those of others', async () => {
    const ids = [await opened('5'), await opened('6'), await opened('7')].reverse();
    await operator(world).creditAccount({ email: `buyer-${people}@example.com`, amount: '1.00' });
    const first = (await panel.ask('GET', '/v1/topups?limit=2')).body;
    const second = (await panel.ask('GET', `/v1/topups?limit=2&cursor=${first.next_cursor as string}`)).body;
    expect([...first.topups, ...second.topups].map(({ id }) => id as string)).to.deep.equal(ids);
    expect(second).not.to.have.property('next_cursor');
    const owner = await signIn(world);
    expect((await owner.ask('GET', '/v1/topups')).body.topups).to.deep.equal([]);
    expect((await owner.ask('GET', `/v1/topups/${ids[0] ?? ''}`)).status).to.equal(404);
  });

  it('opens twenty within an hour and no more', async () => {
    for (let count = 0; count < 20; count++) await opened('5');
    const refused = await open('5');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_500, 3_600);
  });

  it('opens no more for requests all at the same time, and keeps nothing of refused ones', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => open('5')));
    const opened = responses.filter(({ status }) => status === 201).map(({ body }) => body.topup.id as string);
    expect(opened).to.have.length(20);
    expect(responses.filter(({ status }) => status === 429)).to.have.length(180);
    const { topups } = (await panel.ask('GET', '/v1/topups')).body;
    expect(topups.map(({ id }: { id: string }) => id)).to.have.members(opened);
    expect((await open('5')).status).to.equal(429);
  });

  it('is for signed-in owners: a key can look, and not buy', async () => {
    const response = await world.api.post('/v1/topups', { amount: '5', return_url: RETURN_URL });
    expect(response.status).to.equal(403);
    expect((await world.api.get('/v1/topups')).status).to.equal(200);
  });

  it('takes events of 1 MiB at the most, and none that are compressed', async () => {
    const big = 'x'.repeat(1024 * 1024 + 1);
    expect((await send({ body: big, signature: sign(big, Date.now()) })).status).to.equal(413);
    const packed = await new RestClient(world.mesh.url, undefined).post('/v1/stripe/events', '{}', {
      headers: { 'stripe-signature': sign('{}', Date.now()), 'content-encoding': 'gzip' },
    });
    expect(packed.status).to.equal(415);
  });

  it('keeps its secrets out of the log', () => {
    expect(logged).to.contain('top_').and.to.contain('Stripe');
    for (const secret of [STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET]) expect(logged).not.to.contain(secret);
  });
});

describe('an installation without Stripe', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('reports that the operator gives credit', async () => {
    const panel = await signIn(world);
    expect((await panel.ask('GET', '/v1/topups/options')).body.online).to.equal(false);
    const response = await panel.ask('POST', '/v1/topups', { amount: '5', return_url: RETURN_URL });
    expect(response.status).to.equal(403);
    expect(response.body.message).to.contain('operator');
    expect((await world.api.post('/v1/stripe/events', '{}')).status).to.equal(403);
  });
});
