import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const PASSWORD = 'correct horse battery';

/** Types into the field with the focus, as often as the page lets it, while the field is there. */
const TYPE_WITHOUT_END = `{
  const input = document.activeElement;
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  const { port1, port2 } = new MessageChannel();
  let letters = 0;
  port1.onmessage = () => {
    if (!input.isConnected) return;
    letters += 1;
    set.call(input, String(letters));
    input.dispatchEvent(new Event('input', { bubbles: true }));
    port2.postMessage(undefined);
  };
  port2.postMessage(undefined);
}`;

describeInBrowser('a session of the panel that ends', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'mine', start: false });
  });
  after(() => panel.close());

  async function signIn(page: Page, email: string, password: string, button = 'Sign in'): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: button }).click();
  }

  it('shows the sign-in page, which leads back to where the person was', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Open mine' }).waitFor();
    await context.clearCookies();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { email, password } = panel.world;
    await signIn(page, email, password);
    await page.getByRole('link', { name: 'Open mine' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows the sign-in page for a form that is submitted too late', async () => {
    const { page, context } = await panel.open();
    await page.goto('/phones/new');
    await page.getByLabel('Name').fill('late');
    // The form's request must be the first that is refused, as the page's other requests would show the sign-in page before it.
    await page.route('**/v1/**', async (route) => {
      if (route.request().method() === 'POST') await route.continue();
    });
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  it('shows the sign-in page while the person types', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/account');
    await page.getByRole('textbox', { name: 'Current password' }).focus();
    // Each letter has the page drawn again: some are typed between the response that ends the session and the sign-in page.
    await page.evaluate(TYPE_WITHOUT_END);
    await context.clearCookies();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('leaves nothing for the next account to see', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Open mine' }).waitFor();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create an account' }).click();
    // From now on the service sends nothing new, so that only data which the panel still has can show.
    await page.route('**/v1/devices*', () => undefined);
    await signIn(page, 'carl@example.com', PASSWORD, 'Create account');
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    await page.getByText('Loading your phones').waitFor();
    expect(await page.content()).not.to.contain('mine');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('in another tab is noticed in this one, also where another account signs in there', async () => {
    const { page, context } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Open mine' }).waitFor();
    const other = await context.newPage();
    await other.goto('/phones');
    await other.getByRole('button', { name: /^Account/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByRole('button', { name: 'Create an account' }).click();
    await signIn(other, 'dora@example.com', PASSWORD, 'Create account');
    await other.getByText('No phones yet').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Account dora@example.com' }).waitFor();
    await context.close();
  });
});
