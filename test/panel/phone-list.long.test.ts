import { expect } from 'chai';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the list of phones in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of ['bench', 'kiosk', 'spare']) await panel.world.api.createPhone({ name, start: false });
    await panel.world.api.ask('PATCH', '/v1/devices/kiosk', { labels: { team: 'qa', floor: '2' } });
  });
  after(() => panel.close());

  it('is filtered, sorted and drawn as a table by its address', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones?as=table&label=team%3Aqa');
    await page.getByRole('row', { name: /kiosk/ }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(2);
    await page.getByRole('list', { name: 'Labels of kiosk' }).getByText('floor:2').waitFor();
    await page.goto('/phones?as=table&sort=newest');
    const links = page.getByRole('cell').getByRole('link');
    await links.first().waitFor();
    expect(await links.allTextContents()).to.deep.equal(['spare', 'kiosk', 'bench']);
    await checkPage(page, 'phones-table');
    await page.getByLabel('Search phones').fill('bench');
    await page.getByRole('row', { name: /kiosk/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('search')).to.equal('bench');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows phones that are off as short cards, and thumbnails that are on their way', async () => {
    await panel.world.api.createPhone({ name: 'live' });
    const { page, context, complaints } = await panel.open();
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/devices/live/screenshot?*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.goto('/phones');
    const card = page.getByRole('article', { name: 'live' });
    await card.locator('[data-waits=true]').waitFor();
    await card.locator('.mantine-Loader-root').waitFor();
    const off = page.getByRole('list', { name: 'Phones that are off' }).getByRole('article');
    expect(await off.count()).to.equal(3);
    const [tall, short] = [(await card.boundingBox())!, (await off.first().boundingBox())!];
    expect(short.height)
      .to.be.below(80)
      .and.below(tall.height / 3);
    release();
    await card.getByAltText('Screen of live').waitFor();
    expect(await card.locator('.mantine-Loader-root').count()).to.equal(0);
    await panel.world.api.done(await panel.world.api.delete('/v1/devices/live'));
    await card.waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('starts, stops and deletes several phones at the same time, each change as one group', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones?as=table');
    for (const name of ['bench', 'kiosk']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await page.getByText('2 of 3 chosen').waitFor();
    await page.getByRole('button', { name: 'Start 2', exact: true }).click();
    await page.getByRole('button', { name: 'Stop 2', exact: true }).and(page.locator(':enabled')).waitFor();
    await checkPage(page, 'phones-chosen');
    await page.getByRole('button', { name: 'Stop 2', exact: true }).click();
    await page.getByRole('button', { name: 'Start 2', exact: true }).and(page.locator(':enabled')).waitFor();
    const { body } = await panel.world.api.get('/v1/groups');
    expect(body.groups.map(({ name }: { name: string }) => name)).to.deep.equal(['Stop 2 phones', 'Start 2 phones']);
    // A chosen phone that a filter hides is not acted on.
    await page.getByLabel('Search phones').fill('bench');
    await page.getByRole('button', { name: 'Delete 1…' }).click();
    await page.getByLabel('Type delete 1 to confirm').fill('delete 1');
    await page.getByRole('button', { name: 'Delete 1 phone' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Search phones').fill('');
    await page.getByRole('row', { name: /bench/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /kiosk/ }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows a change at once by its event, and polls rarely while events come', async () => {
    const { page, context } = await panel.open();
    await page.clock.install();
    const opened = page.waitForResponse((response) => response.url().endsWith('/v1/events'));
    await page.goto('/phones');
    await opened;
    await page.getByRole('article', { name: 'spare' }).getByText('stopped').waitFor();
    let lists = 0;
    page.on('request', (request) => (lists += Number(request.url().includes('/v1/devices?'))));
    await page.clock.runFor(1_000);
    const before = lists;
    await page.clock.runFor(25_000);
    expect(lists - before).to.be.at.most(1);
    // Another client starts the phone.
    await panel.world.api.done(await panel.world.api.post('/v1/devices/spare/start'));
    const running = page.getByRole('article', { name: 'spare' }).getByText('running');
    while (!(await running.isVisible())) await page.clock.runFor(300);
    await context.close();
  });

  it('polls while the stream of events is refused', async () => {
    const { page, context } = await panel.open();
    await page.route('**/v1/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.clock.install();
    await page.goto('/phones');
    await page.getByRole('article', { name: 'kiosk' }).waitFor();
    await panel.world.api.done(await panel.world.api.post('/v1/devices/kiosk/start'));
    const running = page.getByRole('article', { name: 'kiosk' }).getByText('running');
    while (!(await running.isVisible())) await page.clock.runFor(1_000);
    await context.close();
  });

  it('labels a phone, and stops it when it is not used', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/spare');
    await page.getByLabel('New label').fill('ring:beta');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Remove the label ring' }).waitFor();
    await page.getByRole('combobox', { name: 'Stop when idle' }).click();
    await page.getByRole('option', { name: '1 h', exact: true }).click();
    await page.getByRole('combobox', { name: 'Stop when idle' }).and(page.locator(':enabled')).waitFor();
    const { body } = await panel.world.api.get('/v1/devices/spare');
    expect(body.device).to.deep.include({ labels: { ring: 'beta' }, idle_stop_s: 3_600 });
    await checkPage(page, 'phone-labels');
    await page.getByRole('button', { name: 'Remove the label ring' }).click();
    await page.getByRole('button', { name: 'Remove the label ring' }).waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});

describeInBrowser('a page of the panel whose code does not load', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
  });
  after(() => panel.close());

  it('is loaded again after a broken connection, and the other pages work meanwhile', async () => {
    const { page, context } = await panel.open();
    let isBroken = true;
    let refused = 0;
    await page.route('**/assets/jobs-page-*.js', (route) => {
      if (!isBroken) return route.continue();
      refused++;
      return route.abort();
    });
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByText('The code of the page did not load').waitFor();
    // These are the first load and two repetitions.
    expect(refused).to.be.at.least(3);
    await checkPage(page, 'code-lost');
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    isBroken = false;
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await context.close();
  });
});
