import { expect } from 'chai';
import { signIn } from '../access/people.js';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('sessions and the password in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
  });
  after(() => panel.close());

  it('lists where the owner is signed in, and signs another session out', async () => {
    const other = await signIn(panel.world);
    const { page, context, complaints } = await panel.open();
    await page.goto('/settings/sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByText('127.0.0.1 (this session)').waitFor();
    await checkPage(page, 'sessions');
    // The session is ended by keyboard.
    const signOut = page.getByRole('button', { name: 'Sign out 127.0.0.1' });
    await signOut.focus();
    await page.keyboard.press('Enter');
    await signOut.waitFor({ state: 'detached' });
    expect((await other.ask('GET', '/v1/account')).status).to.equal(401);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('changes the password, and shows why it is not changed', async () => {
    const { page, context, complaints } = await panel.open();
    const other = await signIn(panel.world);
    await page.goto('/settings/sessions');
    await page.getByRole('link', { name: 'change your password' }).click();
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
    await checkPage(page, 'account');
    const submit = async (password: string, newPassword: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Current password' }).fill(password);
      await page.getByRole('textbox', { name: 'New password' }).fill(newPassword);
      await page.keyboard.press('Enter');
    };
    await submit('not the password', 'battery staple');
    await waitForFieldError(
      page.getByRole('textbox', { name: 'Current password' }),
      'This is not your present password',
    );
    await checkPage(page, 'account-wrong-password');
    await submit(panel.world.password, 'battery staple');
    await page.getByText('Your password is changed.').waitFor();
    expect((await other.ask('GET', '/v1/account')).status).to.equal(401);
    await signIn(panel.world, panel.world.email, 'battery staple');
    await page.goto('/settings/sessions');
    await page.getByText('127.0.0.1 (this session)').waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
