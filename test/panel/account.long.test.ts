import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { DEFAULT_PRICES } from '../../device-service/accounts/billing/prices.js';
import { openStripe } from '../../device-service/accounts/topups/stripe.js';
import { FakeStripe, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from '../billing/fake-stripe.js';
import { awayFromEnd, DAY_MS } from '../../testing/away-from-end.js';
import { until } from '../../testing/until.js';
import { RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('usage, billing and health in the panel', function () {
  let stripe: FakeStripe;
  let panel: PanelWorld;
  before(async () => {
    stripe = await FakeStripe.start();
    const config = { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: stripe.apiUrl };
    panel = await startPanel({ payments: await openStripe(config, systemClock) });
  });
  after(async () => {
    await panel.close();
    await stripe.close();
  });

  it('shows minutes and cost by day and by phone, in a chart, in tables and as a file', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/usage');
    await page.getByText('Nothing ran in this period').waitFor();
    await checkPage(page, 'usage-none');
    // The minutes must be of the same day, and of the same month, until the end of the test.
    await awayFromEnd(DAY_MS, 120_000);
    await panel.world.api.createPhone({ name: 'bench' });
    await panel.world.api.createPhone({ name: 'kiosk', start: false });
    // A phone that runs would be charged again between the page and the request below.
    await panel.world.api.done(await panel.world.api.post('/v1/devices/bench/stop'));
    await page.reload();
    const row = page.getByRole('row', { name: /bench/ });
    await page.getByText('By phone', { exact: true }).click();
    await row.waitFor();
    await page.getByRole('heading', { name: 'Minutes, by day (UTC)' }).waitFor();
    const { body } = await panel.world.api.get('/v1/usage');
    const { minutes, cost } = body.devices.find(({ device }: { device: string }) => device === 'bench');
    expect(minutes).to.be.above(0);
    // The cost has two decimals, unless it would then read as nothing.
    const shown = Number(cost) < 0.005 ? cost : Number(cost).toFixed(2);
    expect(await row.textContent()).to.contain(`${minutes}${shown}`);
    await page.getByText('By day', { exact: true }).click();
    const today = new Date().toISOString().slice(0, 10);
    const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(today));
    expect(await page.getByRole('row', { name: inWords }).textContent()).to.contain(`${minutes}${shown}`);
    await page.getByRole('figure').getByText(`${minutes} min`, { exact: true }).waitFor();
    await page.getByRole('figure').getByRole('listitem').getByText('bench').waitFor();
    await page.getByText('Plans', { exact: true }).click();
    await page.getByRole('figure').getByRole('listitem').getByText('by the minute').waitFor();
    await checkPage(page, 'usage');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const [header, line] = readFileSync(await (await saving).path(), 'utf8').split('\r\n');
    expect(header).to.equal('day,device,plan,minutes,cost');
    expect(line).to.match(new RegExp(`^${today},bench,minute,\\d+,0\\.\\d+$`));
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Last month' }).click();
    await page.getByText('Nothing ran in this period').waitFor();
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To').fill('2026-11-30');
    await page.getByRole('alert').getByText('400 days').waitFor();
    // The tests below look at a phone that runs.
    await panel.world.api.done(await panel.world.api.post('/v1/devices/bench/start'));
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('lists the ledger, and saves all of it', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/billing');
    await page.getByRole('link', { name: 'See every charge and credit' }).click();
    await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor();
    const day = page.getByRole('list', { name: 'Days, newest first' }).getByRole('listitem').first();
    await day.getByText('Credit added').first().waitFor();
    await until(async () => (await panel.world.api.get('/v1/account/ledger')).body.entries.length > 1);
    await page.reload();
    const bench = day.getByRole('button', { name: /^bench \d+ min/ });
    await bench.getByText('−0.0').waitFor();
    // The minutes are inside, as the times at which the phone ran.
    expect(await bench.getAttribute('aria-expanded')).to.equal('false');
    await bench.click();
    await day
      .getByRole('list', { name: 'Minutes of bench' })
      .getByText(/^\d\d:\d\d to \d\d:\d\d/)
      .waitFor();
    await checkPage(page, 'ledger');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const lines = readFileSync(await (await saving).path(), 'utf8').split('\r\n');
    expect(lines[0]).to.equal('id,at,kind,device,amount,balance');
    expect(lines.at(-2)).to.contain(',credit,,10.00,10.00');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows the balance and the trial, and buys credit', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/billing');
    await page
      .getByText('10.00 USD')
      .or(page.getByText(/9\.\d\d USD/))
      .waitFor();
    // Credit replaced the trial before it began, so it was never used.
    expect(await page.getByText('Trial').count()).to.equal(0);
    await checkPage(page, 'billing');
    await page.getByLabel('Amount in USD').fill('1');
    await page.getByRole('button', { name: 'Go to payment' }).click();
    await waitForFieldError(page.getByLabel('Amount in USD'), '5.00');
    await page.getByLabel('Amount in USD').fill('20.00');
    // The payment page belongs to another company. Here it sends people back at once, as it does after a payment.
    await page.route('https://checkout.stripe.test/**', async (route) => {
      const session = stripe.sessions.at(-1)!;
      const { body, signature } = stripe.sessionEvent('checkout.session.completed', session);
      const headers = { 'stripe-signature': signature, 'content-type': 'application/json; charset=utf-8' };
      await new RestClient(panel.world.mesh.url, undefined).post('/v1/stripe/events', body, { headers });
      await route.fulfill({ status: 302, headers: { location: session.form.get('success_url')! } });
    });
    await page.getByRole('button', { name: 'Go to payment' }).click();
    await page.getByText('Thank you: 20.00 USD were added.').waitFor();
    await page.getByRole('row', { name: /paid.*20\.00 USD/ }).waitFor();
    const { body } = await panel.world.api.get('/v1/account');
    // The page fetches the balance again every 15 s, and a minute of a running phone may have been charged since.
    await page.getByText(`${Number(body.account.balance).toFixed(2)} USD`).waitFor();
    expect(Number(body.account.balance)).to.be.above(29);
    await checkPage(page, 'billing-paid');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows the prices that the service charges', async () => {
    const { page, context } = await panel.open();
    const perMinute = `${DEFAULT_PRICES.minuteMicros / 1e6} USD`;
    const perMonth = `${(DEFAULT_PRICES.monthMicros / 1e6).toFixed(2)} USD`;
    await page.goto('/billing');
    await page.getByText(`${perMinute} for each begun minute, or ${perMonth} a month`).waitFor();
    await page.goto('/phones/new');
    await page.getByRole('radio', { name: 'By minute' }).getByText(`${perMinute} per minute`).waitFor();
    await page.getByRole('radio', { name: 'By month' }).getByText(`${perMonth} per month`).waitFor();
    await context.close();
    const stranger = await panel.open({ signedIn: false });
    await stranger.page.goto('/sign-up');
    await stranger.page.getByText(`${DEFAULT_PRICES.trialMinutes} minutes of a running phone are free`).waitFor();
    await stranger.context.close();
  });

  it('shows no money where nothing is charged', async () => {
    const { page, context, complaints } = await panel.open();
    await page.route('**/v1/prices', async (route) => {
      const response = await route.fetch();
      const prices = { minute: '0.00', month: '0.00', trial_minutes: 0, billing: false };
      await route.fulfill({ response, json: { ...((await response.json()) as object), prices } });
    });
    const money = async (): Promise<string[]> => {
      const text = await page.evaluate<string>('document.body.innerText');
      return text.match(/\bUSD\b|Billing|Balance|Cost|Price|Trial|\bPlan\b|charged|credit/gi) ?? [];
    };
    for (const [path, heading] of [
      ['/usage', 'Usage'],
      ['/phones/new', 'Create a phone'],
      ['/phones/bench', 'bench'],
      ['/account', 'Your account'],
      ['/billing', 'No such page'],
      ['/billing/ledger', 'No such page'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await until(async () => (await money()).length === 0).catch(() => undefined);
      expect(await money(), path).to.deep.equal([]);
    }
    await page.goto('/usage');
    await page.getByRole('table', { name: 'Each day' }).waitFor();
    await checkPage(page, 'usage-free');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect(readFileSync(await (await saving).path(), 'utf8')).to.match(/^day,device,minutes\r\n/);
    await page.goto('/phones/new');
    await page.getByRole('button', { name: 'Create and start' }).waitFor();
    await checkPage(page, 'phone-new-free');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).waitFor();
    expect(await money()).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find pages, phones and actions' }).fill('Billing');
    await page.getByText('Nothing of this name').waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
    const stranger = await panel.open({ signedIn: false });
    await stranger.page.route('**/v1/prices', (route) =>
      route.fulfill({
        json: { prices: { minute: '0.00', month: '0.00', trial_minutes: 0, billing: false }, sign_up: true },
      }),
    );
    await stranger.page.goto('/sign-up');
    await stranger.page.getByText('An e-mail address and a password are all it takes').waitFor();
    await stranger.context.close();
  });

  it('shows phones that need attention before the others', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/health');
    await page.getByRole('row', { name: /bench/ }).getByText('healthy').waitFor();
    await page.getByText('all healthy').waitFor();
    const problem = { kind: 'storage_full', message: 'The storage is full. Remove apps or files.', since: new Date() };
    await panel.world.database.collection('devices').updateOne({ name: 'kiosk' }, { $set: { problem } });
    await page.getByText('1 problem').waitFor();
    expect(await page.getByRole('row').nth(1).textContent())
      .to.contain('kiosk')
      .and.to.contain(problem.message);
    await checkPage(page, 'health');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
