import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { freePort } from '../../testing/free-port.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { Browser } from './browser.js';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.js';
import { operator, PanelClient } from './people.js';

const SECRET = 'a secret of the client';

describe('sign-in by an OpenID provider', () => {
  let world: World;
  let provider: OpenIdProvider;
  let url: string;

  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startOpenIdProvider(url, SECRET);
    world = await startWorld({
      port,
      passwordSignIn: false,
      oidc: {
        issuer: provider.issuer,
        clientId: 'cloudphone',
        clientSecret: SECRET,
        scopes: 'openid profile email offline_access',
        groupsClaim: 'groups',
        roles: [{ group: 'qa', email: 'owner@localhost', role: 'operator' }],
        trustsEmails: false,
        publicUrl: new URL(url),
      },
    });
    provider.people.set('ben', { email: 'ben@example.com', email_verified: true, name: 'Ben', groups: ['qa'] });
  });
  after(async () => {
    await world.close();
    await provider.close();
  });

  /** Signs in at the provider's pages. Returns the browser on the page at which it ends. */
  async function browse(login: string, from = '/v1/session/oidc?return_to=/devices'): Promise<Browser> {
    const browser = new Browser();
    await browser.open(url + from);
    await browser.send({ login, password: 'any' });
    await browser.send({}, '/devices');
    return browser;
  }
  const panelOf = (browser: Browser): PanelClient =>
    new PanelClient(url, `cp_session=${browser.cookie(url, 'cp_session') ?? ''}`);

  it('leads through the pages of the provider into the account, as a group says', async () => {
    const browser = await browse('ben');
    expect(browser.url).to.equal(`${url}/devices`);
    expect(browser.cookie(url, 'cp_login')).to.equal(undefined);
    const account = await panelOf(browser).ask('GET', '/v1/account');
    expect(account.body.account.email).to.equal('owner@localhost');
    expect(account.body.member).to.include({ email: 'ben@example.com', name: 'Ben', role: 'operator' });
  });

  it('goes on by refreshes, with keys that the provider rotated, and ends when the person left the group', async () => {
    const panel = panelOf(await browse('ben'));
    const sessions = world.database.collection('sessions');
    const due = () => sessions.updateMany({}, { $set: { 'provider.dueAt': new Date(0) } });
    await due();
    expect((await panel.ask('GET', '/v1/account')).status).to.equal(200);
    provider.rotate();
    const again = panelOf(await browse('ben'));
    provider.people.set('ben', { ...provider.people.get('ben'), groups: [] });
    await due();
    const status = async (): Promise<number> => (await again.ask('GET', '/v1/account')).status;
    expect(await status()).to.equal(401);
    expect((await browse('ben')).url).to.equal(`${url}/sign-in#error=no_account`);
    provider.people.set('ben', { ...provider.people.get('ben'), groups: ['qa'] });
  });

  it('offers the page of the provider on which people sign out', async () => {
    const browser = new Browser();
    await browser.open(`${url}/v1/session/oidc/sign-out`);
    expect(browser.url).to.match(new RegExp(`^${provider.issuer}/session/end\\?`));
    expect(new URL(browser.url).searchParams.get('post_logout_redirect_uri')).to.equal(`${url}/sign-in`);
  });

  /** Invites an address as viewer, as the owner of an account. Returns what follows the # of the link. */
  async function invite(email: string, ownerEmail = world.email): Promise<string> {
    const { url: link } = await operator(world).createSignInLink({ email: ownerEmail });
    const owner = new Browser();
    await owner.open(link);
    const { status, body } = await panelOf(owner).ask('POST', '/v1/account/invitations', { email, role: 'viewer' });
    expect(status, JSON.stringify(body)).to.equal(201);
    return new URL(body.invitation.url as string).hash.slice(1);
  }

  /** Accepts an invitation by a sign-in at the provider. Returns the browser on the page at which it ends. */
  async function accept(token: string, login: string): Promise<Browser> {
    const browser = new Browser();
    const begun = await browser.post(`${url}/v1/invitations/provider`, { token });
    expect(Object.keys(begun), JSON.stringify(begun)).to.deep.equal(['url']);
    await browser.open(begun['url'] as string);
    await browser.send({ login, password: 'any' });
    await browser.send({}, '/devices');
    return browser;
  }

  it('lets someone whom no group gives a role accept an invitation, once, and come back', async () => {
    provider.people.set('gus', { email: 'Gus@example.com', email_verified: true, name: 'Gus' });
    expect((await browse('gus')).url).to.equal(`${url}/sign-in#error=no_account`);
    const token = await invite('gus@example.com');
    const browser = await accept(token, 'gus');
    expect(browser.url).to.equal(`${url}/`);
    const { member } = (await panelOf(browser).ask('GET', '/v1/account')).body;
    expect(member).to.include({ email: 'gus@example.com', name: 'Gus', role: 'viewer' });
    expect((await new Browser().post(`${url}/v1/invitations/provider`, { token }))['error']).to.equal('not_found');
    expect((await panelOf(await browse('gus')).ask('GET', '/v1/account')).body.member.id).to.equal(member.id);
  });

  it('gives an invitation only to the address that the provider has verified, and only in the browser that began', async () => {
    provider.people.set('mallory', { email: 'mallory@example.com', email_verified: true });
    provider.people.set('unverified', { email: 'hal@example.com', email_verified: false });
    const token = await invite('hal@example.com');
    expect((await accept(token, 'mallory')).url).to.equal(`${url}/sign-in#error=no_invitation`);
    expect((await accept(token, 'unverified')).url).to.equal(`${url}/sign-in#error=email_unverified`);
    provider.people.set('hal', { email: 'hal@example.com', email_verified: true });
    const begun = await new Browser().post(`${url}/v1/invitations/provider`, { token });
    const other = new Browser();
    await other.open(begun['url'] as string);
    await other.send({ login: 'hal', password: 'any' });
    await other.send({});
    expect(other.url).to.equal(`${url}/sign-in#error=expired`);
    expect((await accept(token, 'hal')).url).to.equal(`${url}/`);
    expect(await world.database.collection('people').countDocuments({ email: 'mallory@example.com' })).to.equal(0);
  });

  it('joins nobody by an invitation that was withdrawn during the sign-in', async () => {
    provider.people.set('ida', { email: 'ida@example.com', email_verified: true });
    const token = await invite('ida@example.com');
    const browser = new Browser();
    const begun = await browser.post(`${url}/v1/invitations/provider`, { token });
    await browser.open(begun['url'] as string);
    await browser.send({ login: 'ida', password: 'any' });
    await world.database.collection('invitations').deleteMany({ email: 'ida@example.com' });
    await browser.send({});
    expect(browser.url).to.equal(`${url}/sign-in#error=no_invitation`);
    expect(browser.cookie(url, 'cp_session')).to.equal(undefined);
  });

  it('leads from the only account of a group into that of an invitation', async () => {
    provider.people.set('kim', { email: 'kim@example.com', email_verified: true, groups: ['qa'] });
    await browse('kim');
    await operator(world).createAccount({ email: 'other@example.com', password: 'correct horse battery' });
    const token = await invite('kim@example.com', 'other@example.com');
    provider.people.set('kim', { email: 'kim@example.com', email_verified: true, groups: [] });
    const browser = await accept(token, 'kim');
    expect(browser.url).to.equal(`${url}/`);
    const { account, member } = (await panelOf(browser).ask('GET', '/v1/account')).body;
    expect([account.email, member.role]).to.deep.equal(['other@example.com', 'viewer']);
    expect((await panelOf(browser).ask('GET', '/v1/accounts')).body.accounts).to.have.length(1);
  });

  it('opens the account of an invitation, also for someone who is in another one', async () => {
    await operator(world).createAccount({ email: 'third@example.com', password: 'correct horse battery' });
    await browse('ben');
    const browser = await accept(await invite('ben@example.com', 'third@example.com'), 'ben');
    const { account } = (await panelOf(browser).ask('GET', '/v1/account')).body;
    expect(account.email).to.equal('third@example.com');
    expect((await panelOf(browser).ask('GET', '/v1/accounts')).body.accounts).to.have.length(2);
  });

  it('keeps the accounts of groups for those whom the provider or the operator vouched for', async () => {
    const sessions = world.database.collection('sessions');
    provider.people.set('lea', { email: 'lea@example.com', email_verified: true, groups: ['qa'] });
    const panel = panelOf(await browse('lea'));
    const person = await world.database.collection('people').findOne({ email: 'lea@example.com' });
    const { url: link } = await operator(world).createSignInLink({ email: 'lea@example.com' });
    const byLink = new Browser();
    await byLink.open(link);
    for (const one of [panel, panelOf(byLink)]) expect((await one.ask('GET', '/v1/account')).status).to.equal(200);
    // A session as a password or a passkey opens it.
    await sessions.updateMany({ personId: person!._id }, { $unset: { vouchedBy: '', provider: '' } });
    // Callers are cached for some seconds.
    for (const one of [panel, panelOf(byLink)])
      await until(async () => (await one.ask('GET', '/v1/account')).status === 401, 20_000);
  });

  it('removes what a stranger set up with an address, once the operator has allowed its holder', async () => {
    await operator(world).createAccount({ email: 'ceo@example.com', password: 'of a stranger' });
    const { url: link } = await operator(world).createSignInLink({ email: 'ceo@example.com' });
    const stranger = new Browser();
    await stranger.open(link);
    expect((await panelOf(stranger).ask('GET', '/v1/account')).status).to.equal(200);
    provider.people.set('ceo', { email: 'ceo@example.com', email_verified: true, groups: ['qa'] });
    expect((await browse('ceo')).url).to.equal(`${url}/sign-in#error=address_taken`);
    await operator(world).allowProvider({ email: 'ceo@example.com' });
    const holder = panelOf(await browse('ceo'));
    expect((await holder.ask('GET', '/v1/accounts')).body.accounts).to.have.length(2);
    expect((await panelOf(stranger).ask('GET', '/v1/account')).status).to.equal(401);
    const person = await world.database.collection('people').findOne({ email: 'ceo@example.com' });
    expect(person).not.to.have.property('passwordHash');
    expect(person!['verifiedAt']).to.be.instanceOf(Date);
  });

  it('is the only way in while passwords are off, beside the link of the operator', async () => {
    const api = new RestClient(url, undefined);
    const { email, password } = world;
    const refused = await api.post('/v1/session', { email, password });
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    expect(refused.body.message).to.contain('GET /v1/session/oidc');
    const methods = await api.get('/v1/session/methods');
    expect((await api.post('/v1/session/passkey', {})).status).to.equal(403);
    // Refusals that nobody throttles fill no audit log.
    expect(await world.database.collection('audit').countDocuments({ action: 'SessionService.SignIn' })).to.equal(0);
    expect(methods.body).to.include({
      password: false,
      passkey: false,
      sign_up: false,
      provider: new URL(provider.issuer).host,
    });
    const link = await operator(world).createSignInLink({ email });
    const browser = new Browser();
    await browser.open(link.url);
    expect((await panelOf(browser).ask('GET', '/v1/account')).body.member.role).to.equal('owner');
    const second = new Browser();
    await second.open(link.url);
    expect(second.url).to.equal(`${url}/sign-in#error=expired`);
  });
});
