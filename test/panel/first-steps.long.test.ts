import { expect } from 'chai';
import { RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the first steps of an account in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
  });
  after(() => panel.close());

  /** Opens a page of a new account. */
  async function signUp(email: string) {
    const opened = await panel.open({ signedIn: false });
    const { page } = opened;
    await page.goto('/sign-up');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    return opened;
  }

  it('are key, phone and first call, and tick themselves off', async () => {
    const { page, context, complaints } = await signUp('new@example.com');
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    const finished = (title: string): Promise<void> => step(title).getByText('finished').waitFor({ state: 'attached' });
    expect(await page.getByText('finished').count()).to.equal(0);
    await checkPage(page, 'first-steps');
    await page.getByRole('link', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.locator('code').first().textContent())!;
    await page.goto('/phones');
    await finished('Make a key');
    await page.getByRole('link', { name: 'Choose a phone' }).click();
    await page.getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor();
    await page.goto('/phones');
    await finished('Start your first phone');
    expect(await step('Call the API').locator('code').last().textContent()).to.equal(
      'curl -sS "$CLOUDPHONE_URL/devices" -H "Authorization: Bearer $CLOUDPHONE_KEY"',
    );
    await checkPage(page, 'first-steps-last');
    expect((await new RestClient(panel.world.mesh.url, key).get('/v1/devices')).status).to.equal(200);
    // The steps disappear with the last one.
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('are dismissed for good', async () => {
    const { page, context } = await signUp('other@example.com');
    await page.getByRole('button', { name: 'Dismiss the first steps' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('No phones yet').waitFor();
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).to.equal(0);
    await context.close();
  });
});
