import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const URI = `otpauth://totp/Cloudphone:ann%40example.com?secret=${SECRET}&issuer=Cloudphone`;
const CODES = Array.from({ length: 10 }, (_, index) => `code-${index}-aaaa`);
const CONFIRM = { error: 'forbidden', message: 'Confirm that it is you: POST /v1/session/confirm.' };

/** A second factor as the API has it. */
const factor = (kind: string, name: string) => ({
  id: `fac_${kind}`,
  kind,
  name,
  created_at: '2026-11-20T17:00:00.000Z',
});

/** What the panel sends in the calls of this file. */
interface Body {
  code?: string;
  token?: string;
  passkey?: string;
  email?: string;
  new_password?: string;
}

/** Responds to the calls of a path in place of the service. Returns the bodies that came, in their order. */
async function answer(page: Page, path: string, respond: (route: Route, body: Body) => object | undefined) {
  const bodies: Body[] = [];
  await page.route(`**${path}`, async (route) => {
    const body = (route.request().postDataJSON() ?? {}) as Body;
    const response = respond(route, body);
    if (response === undefined) return route.continue();
    bodies.push(body);
    const status = (response as { error?: string }).error === undefined ? 200 : 403;
    return route.fulfill({ status, json: response });
  });
  return bodies;
}

describeInBrowser('second factors and ways to sign in, in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
  });
  after(() => panel.close());

  /** Opens the panel at the name localhost, where browsers make passkeys, with an authenticator of the browser's own. */
  async function openWithAuthenticator(): Promise<PanelPage & { url: string }> {
    const opened = await panel.open();
    const url = panel.world.mesh.url.replace('127.0.0.1', 'localhost');
    const cookies = await opened.context.cookies();
    await opened.context.addCookies(
      cookies.map(({ name, value }) => ({ name, value, url, httpOnly: true, sameSite: 'Lax' as const })),
    );
    const devtools = await opened.context.newCDPSession(opened.page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return { ...opened, url };
  }

  it('adds an app by a picture that is drawn here, and shows the recovery codes once', async () => {
    const { page, context, complaints } = await panel.open();
    let factors: object[] = [];
    await answer(page, '/v1/account/second-factors', (route) =>
      route.request().method() === 'GET'
        ? { second_factors: factors, recovery_codes_left: factors.length * 10, required: false }
        : { id: 'fac_totp', totp: { secret: SECRET, uri: URI } },
    );
    const confirmed = await answer(page, '/v1/account/second-factors/fac_totp/confirm', (_route, { code }) => {
      if (code !== '287082') return { error: 'bad_request', message: 'code: is wrong' };
      factors = [factor('totp', 'My phone')];
      return { second_factor: factors[0], recovery_codes: CODES };
    });
    await page.goto('/security');
    await page.getByText('No second factor yet').waitFor();
    await checkPage(page, 'security-none');
    await page.getByRole('button', { name: 'Add an app' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('img', { name: 'QR code for the app' }).waitFor();
    await page.getByText(SECRET).waitFor();
    expect(await page.getByRole('link', { name: 'open it on this device' }).getAttribute('href')).to.equal(URI);
    await checkPage(page, 'security-scan');
    await page.getByRole('textbox', { name: 'Code' }).fill('111 111');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill('287 082');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Keep these recovery codes').waitFor();
    expect(confirmed.map(({ code }) => code)).to.deep.equal(['111111', '287082']);
    expect(
      await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts(),
    ).to.deep.equal(CODES);
    await checkPage(page, 'security-codes');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('row', { name: /My phone/ }).waitFor();
    expect(await page.content()).not.to.contain(CODES[0]);
    await checkPage(page, 'security');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('makes a passkey by the browser, and signs in with it alone', async () => {
    const { page, context, complaints, url } = await openWithAuthenticator();
    const challenge = 'Y2hhbGxlbmdlLW9mLXRoZS10ZXN0LTE';
    const creation = {
      ...{
        challenge,
        rp: { id: 'localhost', name: 'Cloud phones' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
      user: { id: 'cGVyXzE', name: 'ann@example.com', displayName: 'Ann' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    };
    await answer(page, '/v1/account/second-factors', (route) =>
      route.request().method() === 'GET'
        ? { second_factors: [], recovery_codes_left: 0, required: false }
        : { id: 'fac_passkey', passkey_options: JSON.stringify(creation) },
    );
    const made = await answer(page, '/v1/account/second-factors/fac_passkey/confirm', () => ({
      second_factor: factor('passkey', 'This device'),
      recovery_codes: CODES,
    }));
    await page.goto(`${url}/security`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Make the passkey' }).click();
    await page.getByText('Keep these recovery codes').waitFor();
    const passkey = JSON.parse(made[0]?.passkey ?? '');
    const clientData = JSON.parse(Buffer.from(passkey.response.clientDataJSON, 'base64url').toString());
    expect(clientData).to.deep.include({ type: 'webauthn.create', challenge, origin: url });

    await context.clearCookies();
    await answer(page, '/v1/session/methods', () => ({
      ...{ password: false, passkey: true, sign_up: false, password_reset: false, provider: 'login.example.com' },
    }));
    const request = JSON.stringify({ challenge, rpId: 'localhost', userVerification: 'required' });
    await answer(page, '/v1/session/passkey', () => ({
      second_factor: { token: 'sfc_1', kinds: ['passkey'], passkey_options: request },
    }));
    const finished = await answer(page, '/v1/session/second-factor', () => ({ account: {} }));
    await page.goto(`${url}/phones`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await page.getByRole('textbox').count()).to.equal(0);
    const provider = page.getByRole('link', { name: 'Sign in at login.example.com' });
    expect(await provider.getAttribute('href')).to.equal('/v1/session/oidc?return_to=%2Fphones');
    await checkPage(page, 'sign-in-provider');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForResponse('**/v1/account');
    expect(finished[0]).to.deep.include({ token: 'sfc_1' });
    expect(JSON.parse(finished[0]?.passkey ?? '').id).to.equal(passkey.id);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('joins by an invitation at the provider, and signs out there too', async () => {
    const { page, context, complaints } = await panel.open();
    await answer(page, '/v1/session/methods', () => ({
      ...{ password: false, passkey: false, sign_up: false, password_reset: false, provider: 'login.example.com' },
    }));
    await page.route('**/v1/session/oidc/sign-out', (route) =>
      route.fulfill({ status: 303, headers: { location: '/docs/' } }),
    );
    await answer(page, '/v1/invitations/read', () => ({
      ...{ email: 'ben@example.com', role: 'viewer', account: panel.world.email, known: false },
    }));
    const begun = await answer(page, '/v1/invitations/provider', () => ({ url: '/docs/#begun' }));
    await page.goto(`/invitation#inv_${'a'.repeat(43)}`);
    const join = page.getByRole('button', { name: 'Join at login.example.com' });
    await join.waitFor();
    expect(await page.getByRole('textbox').count()).to.equal(0);
    await checkPage(page, 'invitation-provider');
    await join.click();
    await page.waitForURL('**/docs/#begun');
    expect(begun[0]?.token).to.equal(`inv_${'a'.repeat(43)}`);
    await page.goto('/phones');
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Sign out at login.example.com too' }).click();
    await page.waitForURL('**/docs/');
    await page.goto('/phones');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('asks for the second step after the password, and for a mail where the password is forgotten', async () => {
    const { page, context, complaints } = await panel.open({ signedIn: false });
    await answer(page, '/v1/session/methods', () => ({
      ...{ password: true, passkey: false, sign_up: true, password_reset: true },
    }));
    await answer(page, '/v1/session', (route) =>
      route.request().method() === 'POST' ? { second_factor: { token: 'sfc_2', kinds: ['totp'] } } : undefined,
    );
    const finished = await answer(page, '/v1/session/second-factor', () => ({
      error: 'unauthorized',
      message: 'This code is wrong, or the sign-in is over. Begin again.',
    }));
    await page.goto('/');
    await page.getByLabel('E-mail').fill(panel.world.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(panel.world.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await checkPage(page, 'sign-in-second-step');
    await page.getByLabel('Code').fill('123456');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('wrong').waitFor();
    expect(finished).to.deep.equal([{ token: 'sfc_2', code: '123456' }]);
    await page.getByRole('button', { name: 'Begin again' }).click();
    const asked = await answer(page, '/v1/account/password/reset', () => ({}));
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await checkPage(page, 'forgot');
    await page.getByLabel('E-mail').fill('ann@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('If somebody signs in with ann@example.com').waitFor();
    expect(asked).to.deep.equal([{ email: 'ann@example.com' }]);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('takes a new password by a mailed link, and confirms an address', async () => {
    const { page, context, complaints } = await panel.open({ signedIn: false });
    const reset = await answer(page, '/v1/account/password/reset/confirm', () => ({}));
    await page.goto(`/reset#pwr_${'a'.repeat(43)}`);
    await page.getByRole('textbox', { name: 'New password' }).waitFor();
    await checkPage(page, 'reset');
    await page.getByRole('textbox', { name: 'New password' }).fill('staple battery horse');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
    expect(reset).to.deep.equal([{ token: `pwr_${'a'.repeat(43)}`, new_password: 'staple battery horse' }]);
    const verified = await answer(page, '/v1/account/email/verification/confirm', () => ({}));
    await page.goto(`/verify#ver_${'b'.repeat(43)}`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    expect(verified).to.deep.equal([{ token: `ver_${'b'.repeat(43)}` }]);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('mails a link that confirms the address, where the service sends mail', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/account');
    await page.getByText('For the whole account').waitFor();
    expect(await page.getByRole('button', { name: 'Send a link' }).count()).to.equal(0);
    await answer(page, '/v1/session/methods', () => ({
      password: true,
      passkey: true,
      sign_up: true,
      password_reset: true,
    }));
    const asked = await answer(page, '/v1/account/email/verification', () => ({}));
    await page.goto('/account');
    await page.getByRole('button', { name: 'Send a link' }).click();
    await page.getByText(`A link is on its way to ${panel.world.email}`).waitFor();
    await checkPage(page, 'verify-address');
    expect(asked).to.have.length(1);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('asks again who it is where a call needs that, and repeats the call once', async () => {
    const { page, context, complaints } = await panel.open();
    let isConfirmed = false;
    await answer(page, '/v1/session/confirm', (_route, { code }) => {
      if (code === undefined) return { confirmed: false, challenge: { token: 'sfc_3', kinds: ['totp'] } };
      isConfirmed = code === '287082';
      return isConfirmed ? { confirmed: true } : { error: 'bad_request', message: 'This code is wrong.' };
    });
    const tries = await answer(page, '/v1/account/invitations', (route) =>
      route.request().method() === 'POST' && !isConfirmed ? CONFIRM : undefined,
    );
    const invite = async (email: string): Promise<void> => {
      await page.goto('/members/invite');
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    };
    await invite('gil@example.com');
    await page.getByLabel('Code').waitFor();
    await checkPage(page, 'step-up');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('alert').getByText('Confirm that it is you').waitFor();
    await invite('hal@example.com');
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('This code is wrong.').waitFor();
    await page.getByLabel('Code').fill('287082');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Pass this link on').waitFor();
    expect(tries.map(({ email }) => email)).to.deep.equal(['gil@example.com', 'hal@example.com']);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('lets the other tabs look at once who is signed in, when somebody signs out or in', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    const menu = page.getByRole('button', { name: /^Account / });
    await menu.click();
    const tab = await context.newPage();
    // This tab polls nothing.
    await tab.addInitScript('window.setInterval = () => 0');
    await tab.goto('/audit');
    await tab.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(panel.world.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(panel.world.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('asks again in a later session, where the one before ended under the question', async () => {
    const { page, context, complaints } = await panel.open();
    await page.clock.install();
    await answer(page, '/v1/session/confirm', () => ({
      ...{ confirmed: false, challenge: { token: 'sfc_4', kinds: ['totp'] } },
    }));
    await answer(page, '/v1/account/invitations', (route) =>
      route.request().method() === 'POST' ? CONFIRM : undefined,
    );
    const invite = async (): Promise<void> => {
      await page.getByLabel('E-mail').fill('ida@example.com');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('dialog', { name: 'Confirm that it is you' }).getByLabel('Code').waitFor();
    };
    await page.goto('/members/invite');
    await invite();
    await context.clearCookies();
    await page.clock.runFor(11_000);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(panel.world.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(panel.world.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor();
    await invite();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows recovery codes until they are kept, also where they open the rest of the panel', async () => {
    const { page, context, complaints } = await panel.open();
    await page.clock.install();
    let factors: object[] = [];
    await page.route('**/v1/account', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { settings: object; member: object };
      const settings = { ...body.settings, require_second_factor: true };
      const member = { ...body.member, second_factor: factors.length > 0 };
      await route.fulfill({ response, json: { ...body, settings, member } });
    });
    await answer(page, '/v1/account/second-factors', (route) =>
      route.request().method() === 'GET'
        ? { second_factors: factors, recovery_codes_left: 0, required: true }
        : { id: 'fac_totp', totp: { secret: SECRET, uri: URI } },
    );
    await answer(page, '/v1/account/second-factors/fac_totp/confirm', () => {
      factors = [factor('totp', 'My phone')];
      return { second_factor: factors[0], recovery_codes: CODES };
    });
    await page.goto('/phones');
    await page.getByRole('button', { name: 'Add an app' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('textbox', { name: 'Code' }).fill('287 082');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const codes = page.getByRole('list', { name: 'Recovery codes' });
    await codes.waitFor();
    // The second poll begins when the page has the response of the first.
    for (let polls = 0; polls < 2; polls++) {
      const polled = page.waitForResponse('**/v1/account');
      await page.clock.runFor(11_000);
      await (await polled).finished();
    }
    expect(await codes.getByRole('listitem').allInnerTexts()).to.deep.equal(CODES);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows a member only the way to a second factor where the account requires one', async () => {
    const { page, context, complaints } = await panel.open();
    await page.route('**/v1/account', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { settings: object };
      const settings = { ...body.settings, require_second_factor: true };
      await route.fulfill({ response, json: { ...body, settings } });
    });
    await answer(page, '/v1/account/second-factors', () => ({
      ...{ second_factors: [], recovery_codes_left: 0, required: true },
    }));
    await page.goto('/phones');
    await page.getByRole('heading', { name: 'Set up a second factor first' }).waitFor();
    await page.getByText('This account requires one of each member.').waitFor();
    expect(await page.getByRole('navigation').count()).to.equal(0);
    await checkPage(page, 'factor-required');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
