import { expect } from 'chai';
import { signIn } from '../access/people.js';
import { checkPage } from './check-page.js';
import { joinAs, navigationOf, openAs } from './member-pages.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

/** The links of the navigation that a role has besides those of a viewer. */
const LINKS: Record<string, readonly string[]> = {
  viewer: [],
  operator: ['API keys', 'Webhooks'],
  admin: ['API keys', 'Webhooks', 'Members', 'Audit log'],
  owner: ['API keys', 'Webhooks', 'Members', 'Audit log'],
};

/** Pages that need more than looking, with the least role for each. */
const GUARDED = [
  ['/phones/new', 'operator'],
  ['/phones/demo/adb', 'operator'],
  ['/groups/new', 'operator'],
  ['/schedules/new', 'operator'],
  ['/pools/new', 'operator'],
  ['/settings/keys', 'operator'],
  ['/settings/keys/new', 'operator'],
  ['/settings/webhooks', 'operator'],
  ['/members', 'admin'],
  ['/members/invite', 'admin'],
  ['/audit', 'admin'],
] as const;

const ROLES = ['viewer', 'operator', 'admin', 'owner'];

describeInBrowser('the roles of members in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
    await panel.world.api.createPhone({ name: 'spare', start: false });
  });
  after(() => panel.close());

  for (const role of ROLES) {
    it(`offers an account’s ${role} what the role includes, and explains the rest where its address is opened`, async () => {
      const person = await joinAs(panel, `${role}@example.com`, role);
      const { page, context, complaints } = await openAs(panel, person);
      await page.goto('/phones');
      await page.getByRole('link', { name: 'Open demo' }).waitFor();
      const links = await navigationOf(page);
      for (const link of ['API keys', 'Webhooks', 'Members'])
        expect(links.includes(link), `${link} of ${role}`).to.equal(LINKS[role]!.includes(link));
      const mayChange = role !== 'viewer';
      const count = (name: string): Promise<number> => page.getByRole('button', { name }).count();
      expect(await page.getByRole('link', { name: 'Create a phone' }).count(), 'create').to.equal(mayChange ? 1 : 0);
      expect(await count('Start spare'), 'start').to.equal(mayChange ? 1 : 0);
      expect(await count('More actions for demo'), 'menu').to.equal(mayChange ? 1 : 0);
      for (const [path, least] of GUARDED) {
        await page.goto(path);
        const refusal = page.getByText(`This needs the role ${least}`);
        if (ROLES.indexOf(role) < ROLES.indexOf(least)) {
          await refusal.waitFor();
          await page.getByText(`Your role in the account of ${panel.world.email} is ${role}.`).waitFor();
        } else {
          await page.getByRole('heading', { level: 1 }).waitFor();
          expect(await refusal.count(), path).to.equal(0);
        }
      }
      expect(complaints).to.deep.equal([]);
      await context.close();
    });
  }

  it('shows a viewer the screen without touch, and no button that changes the phone', async () => {
    const person = await joinAs(panel, 'watcher@example.com', 'viewer');
    const { page, context, complaints } = await openAs(panel, person);
    await page.goto('/phones/demo');
    await page.locator('canvas[data-drawn=true]').waitFor();
    expect(await page.locator('canvas').getAttribute('data-watch-only')).to.equal('true');
    expect(await page.getByRole('textbox', { name: 'Type on demo' }).count()).to.equal(0);
    for (const name of ['Home', 'Stop demo', 'Share', 'More actions for demo', 'Power button'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).to.equal(0);
    await page.getByRole('button', { name: 'Save a picture' }).waitFor();
    await checkPage(page, 'phone-viewer');
    for (const tab of ['snapshots', 'files', 'recordings', 'timeline', 'logs', 'crashes']) {
      await page.goto(`/phones/demo/${tab}`);
      await page.getByRole('tab', { selected: true }).waitFor();
      await page.getByRole('tabpanel').waitFor();
      const words = await page.getByRole('tabpanel').getByRole('button').allInnerTexts();
      expect(
        words.filter((word) => /take|record|delete|choose|restore/i.test(word)),
        tab,
      ).to.deep.equal([]);
    }
    await page.goto('/members');
    await page.getByText('This needs the role admin').waitFor();
    await checkPage(page, 'role-needed');
    await page.goto('/phones?as=table');
    await page.getByRole('link', { name: 'demo' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('follows a role that changes while the panel is open', async () => {
    const person = await joinAs(panel, 'rising@example.com', 'viewer');
    const { page, context } = await openAs(panel, person);
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Open demo' }).waitFor();
    const { body } = await person.ask('GET', '/v1/account');
    const owner = await signIn(panel.world);
    const id = body.member.id as string;
    expect((await owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'operator' })).status).to.equal(200);
    await page.getByRole('link', { name: 'Create a phone' }).waitFor();
    expect((await owner.ask('DELETE', `/v1/account/members/${id}`)).status).to.equal(204);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });
});
