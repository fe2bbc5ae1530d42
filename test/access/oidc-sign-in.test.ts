import { expect } from 'chai';
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

  it('is the only way in while passwords are off, beside the link of the operator', async () => {
    const api = new RestClient(url, undefined);
    const { email, password } = world;
    const refused = await api.post('/v1/session', { email, password });
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    expect(refused.body.message).to.contain('GET /v1/session/oidc');
    const methods = await api.get('/v1/session/methods');
    expect(methods.body).to.include({ password: false, sign_up: false, provider: new URL(provider.issuer).host });
    const link = await operator(world).createSignInLink({ email });
    const browser = new Browser();
    await browser.open(link.url);
    expect((await panelOf(browser).ask('GET', '/v1/account')).body.member.role).to.equal('owner');
    const second = new Browser();
    await second.open(link.url);
    expect(second.url).to.equal(`${url}/sign-in#error=expired`);
  });
});
