import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { signIn, signUp } from '../access/people.js';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { joinAs, MEMBER_PASSWORD, openAs } from './member-pages.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const EMPTY = 'the page is empty';

/** Script that says when a page has no heading any more. A page that is about to be replaced responds to no question from outside. */
const SAY_WHEN_EMPTY = `new MutationObserver(() => {
  if (document.querySelector('h1') === null) console.log('${EMPTY}');
}).observe(document.body, { childList: true, subtree: true })`;

describeInBrowser('members and invitations in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench', start: false });
    await panel.world.api.createPhone({ name: 'kiosk', start: false });
  });
  after(() => panel.close());

  it('invites a person by a link that works once, and lets the person join and sign in', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/members');
    await page.getByRole('cell', { name: `${panel.world.email} (you)` }).waitFor();
    await page.getByText('Nobody is invited just now.').waitFor();
    await page.getByRole('link', { name: 'Invite a person' }).click();
    await page.getByLabel('E-mail').fill('not an address');
    await page.getByRole('button', { name: 'Invite' }).click();
    await waitForFieldError(page.getByLabel('E-mail'), 'not allowed');
    await page.getByLabel('E-mail').fill('ben@example.com');
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await page.getByRole('radio', { name: 'Phones that I choose' }).check();
    await page.getByRole('checkbox', { name: 'bench' }).check();
    await checkPage(page, 'member-invite');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Pass this link on').waitFor();
    const url = (await page.locator('code').textContent())!;
    expect(url).to.contain('/invitation#');
    await page.evaluate('document.querySelector("code").textContent = "https://…"');
    await checkPage(page, 'member-invited');
    await page.getByRole('link', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /ben@example\.com/ })
      .getByText('passed on by hand')
      .waitFor();
    expect(await page.content()).not.to.contain(new URL(url).hash);
    await checkPage(page, 'members');

    const theirs = await panel.open({ signedIn: false });
    await theirs.page.goto(`/invitation${new URL(url).hash}`);
    await theirs.page.getByRole('heading', { name: 'You are invited' }).waitFor();
    await theirs.page.getByText(`${panel.world.email} invites ben@example.com as viewer`).waitFor();
    await checkPage(theirs.page, 'invitation');
    await theirs.page.getByLabel('Your name').fill('Ben');
    await theirs.page.getByRole('textbox', { name: 'Choose a password' }).fill('short');
    await theirs.page.getByRole('button', { name: 'Join' }).click();
    await waitForFieldError(theirs.page.getByRole('textbox', { name: 'Choose a password' }), '8');
    await theirs.page.getByRole('textbox', { name: 'Choose a password' }).fill(MEMBER_PASSWORD);
    await theirs.page.getByRole('button', { name: 'Join' }).click();
    await theirs.page.getByText('You have joined').waitFor();
    await theirs.page.getByRole('link', { name: 'Sign in' }).click();
    expect(await theirs.page.getByLabel('E-mail').inputValue()).to.equal('ben@example.com');
    await theirs.page.getByRole('textbox', { name: 'Password' }).fill(MEMBER_PASSWORD);
    await theirs.page.getByRole('button', { name: 'Sign in' }).click();
    await theirs.page.getByRole('link', { name: 'Open bench' }).waitFor();
    expect(await theirs.page.getByRole('link', { name: 'Open kiosk' }).count()).to.equal(0);
    await theirs.page.goto(`/invitation${new URL(url).hash}`);
    await theirs.page.getByText('This link does not work any more').waitFor();
    await theirs.page.goto('/invitation#inv_short');
    await theirs.page.reload();
    await theirs.page.getByText('This link is not complete').waitFor();
    await checkPage(theirs.page, 'invitation-incomplete');
    expect([...complaints, ...theirs.complaints]).to.deep.equal([]);
    await theirs.context.close();
    await context.close();
  });

  it('changes the role and phones of a member, withdraws an invitation, and removes a member with the keys', async () => {
    const person = await joinAs(panel, 'carl@example.com', 'operator');
    await person.createKey({ name: 'of Carl' });
    const owner = await signIn(panel.world);
    await owner.ask('POST', '/v1/account/invitations', { email: 'dora@example.com', role: 'admin' });
    const { page, context, complaints } = await panel.open();
    await page.goto('/members');
    await page.getByRole('button', { name: 'Withdraw the invitation of dora@example.com' }).click();
    await page.getByRole('row', { name: /dora@example\.com/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Edit carl@example.com' }).click();
    await page.getByRole('heading', { name: 'carl@example.com', level: 1 }).waitFor();
    await page.getByRole('radio', { name: /^Admin/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect((await person.ask('GET', '/v1/account')).body.member.role).to.equal('admin');
    await checkPage(page, 'member-edit');
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('radio', { name: /^Keep them/ }).check();
    await checkPage(page, 'member-remove');
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await page.getByRole('row', { name: /carl@example\.com/ }).waitFor({ state: 'detached' });
    expect((await person.ask('GET', '/v1/account')).status).to.equal(401);
    const { body } = await owner.ask('GET', '/v1/keys');
    expect((body.keys as { name: string }[]).map(({ name }) => name)).to.include('of Carl');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('leaves alone what somebody else changes while the page of a member is open', async () => {
    const person = await joinAs(panel, 'hana@example.com', 'operator', ['bench']);
    const { body } = await person.ask('GET', '/v1/account');
    const owner = await signIn(panel.world);
    const { page, context, complaints } = await panel.open();
    await page.goto(`/members/${body.member.id}`);
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    const changed = await owner.ask('PATCH', `/v1/account/members/${body.member.id}`, { devices: ['kiosk'] });
    expect(changed.status).to.equal(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { member } = (await person.ask('GET', '/v1/account')).body;
    expect(member).to.deep.include({ role: 'viewer', devices: ['kiosk'] });
    // The form shows the member as it is from then on.
    expect(await page.getByRole('checkbox', { name: 'kiosk' }).isChecked()).to.equal(true);
    expect(await page.getByRole('checkbox', { name: 'bench' }).isChecked()).to.equal(false);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('says why the last owner cannot become less', async () => {
    const { page, context } = await panel.open();
    await page.goto('/members');
    await page.getByRole('link', { name: `Edit ${panel.world.email}` }).click();
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('owner').waitFor();
    await context.close();
  });

  it('offers an admin no owner to change, and no role above', async () => {
    const person = await joinAs(panel, 'adam@example.com', 'admin');
    const { page, context } = await openAs(panel, person);
    await page.goto('/members');
    await page.getByRole('link', { name: 'Edit adam@example.com' }).waitFor();
    expect(await page.getByRole('link', { name: `Edit ${panel.world.email}` }).count()).to.equal(0);
    await page.getByRole('link', { name: 'Invite a person' }).click();
    await page.getByRole('radio', { name: /^Admin/ }).waitFor();
    expect(await page.getByRole('radio', { name: /^Owner/ }).count()).to.equal(0);
    await context.close();
  });

  it('puts a person with two accounts into the other one, which shows nothing of the first', async () => {
    const own = await signUp(panel.world, 'eve@example.com', MEMBER_PASSWORD);
    const phone = { name: 'private', model: 'phone-720p', network: { type: 'direct', country: 'us' } };
    const made = await own.ask('POST', '/v1/devices', { ...phone, plan: 'minute', start: false });
    expect(made.status, made.bytes.toString()).to.equal(202);
    const person = await joinAs(panel, 'eve@example.com', 'operator');
    const { page, context, complaints } = await openAs(panel, person);
    await page.goto('/phones');
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    const menu = page.getByRole('button', { name: 'Account eve@example.com' });
    await menu.click();
    const other = page.getByRole('menuitem', { name: `${panel.world.email}, operator` });
    const first = page.getByRole('menuitem', { name: 'eve@example.com, owner' });
    await first.waitFor();
    const [from, to] = (await other.isDisabled()) ? ['bench', 'private'] : ['private', 'bench'];
    await page.getByRole('link', { name: from, exact: true }).first().waitFor();
    // Another tab, on a phone of the account before, leaves it at once: its page is drawn no more while the next one loads.
    const tab = await context.newPage();
    await tab.goto(`/phones/${from}`);
    await tab.getByRole('heading', { name: from, level: 1 }).waitFor();
    await tab.evaluate(SAY_WHEN_EMPTY);
    const emptied = tab.waitForEvent('console', (message) => message.text() === EMPTY);
    let load = (): void => undefined;
    const leaving = new Promise<void>((resolve) => {
      void tab.route('**/phones', async (route) => {
        const loading = new Promise<void>((go) => (load = go));
        resolve();
        await loading;
        await route.continue();
      });
    });
    await (to === 'bench' ? other : first).click();
    await leaving;
    await emptied;
    load();
    await tab.waitForURL('**/phones');
    await tab.getByRole('link', { name: to, exact: true }).first().waitFor();
    await page.getByRole('link', { name: to, exact: true }).first().waitFor();
    await until(async () => (await page.getByRole('link', { name: from, exact: true }).count()) === 0);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('changes what owners and admins choose for the whole account, and shows it to nobody else', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/account');
    const mails = page.getByRole('switch', { name: 'Mail when the balance is low' });
    expect(await mails.isChecked()).to.equal(true);
    await mails.click({ force: true });
    const owner = await signIn(panel.world);
    const mail = async (): Promise<unknown> => (await owner.ask('GET', '/v1/account')).body.settings.mail;
    await until(async () => JSON.stringify(await mail()) === JSON.stringify({ balance: false, attention: true }));
    await checkPage(page, 'account-choices');
    expect(complaints).to.deep.equal([]);
    await context.close();
    const viewer = await joinAs(panel, 'gus@example.com', 'viewer');
    const theirs = await openAs(panel, viewer);
    await theirs.page.goto('/account');
    await theirs.page.getByText('Leave this account').waitFor();
    expect(await theirs.page.getByRole('switch').count()).to.equal(0);
    await theirs.context.close();
  });

  it('lets a member leave the account of others', async () => {
    const person = await joinAs(panel, 'finn@example.com', 'viewer');
    const { page, context, complaints } = await openAs(panel, person);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Leave…' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await person.ask('GET', '/v1/account')).status).to.equal(401);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
