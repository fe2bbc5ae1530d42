import { expect } from 'chai';
import { generateSync } from 'otplib';
import { openSmtp } from '../../device-service/accounts/mail/open-smtp.js';
import { systemClock } from '../../kit/async/clock.js';
import { openTestMail, type ReceivedMail, type TestMailServer, tokenOf } from '../../testing/mail-server.js';
import { until } from '../../testing/until.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { operator, type PanelClient, signIn, signUp } from './people.js';

const NEW_PASSWORD = 'staple battery horse';

describe('mails over REST', () => {
  let server: TestMailServer;
  let world: World;
  let owner: PanelClient;
  let anyone: RestClient;

  before(async () => {
    server = await openTestMail({
      recipient: (to) => {
        if (to.startsWith('gone')) throw Object.assign(new Error('no such mailbox'), { responseCode: 550 });
      },
    });
    const publicUrl = new URL('https://phones.example.com');
    const smtp = { host: '127.0.0.1', port: server.port, tls: 'never' as const, login: undefined, ca: undefined };
    const from = { name: 'Cloud phones', address: 'phones@example.com' };
    world = await startWorld({ mailServer: await openSmtp({ smtp, from, publicUrl }, systemClock) });
    owner = await signIn(world);
    anyone = new RestClient(world.mesh.url, undefined);
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  async function mailTo(address: string, subject: string): Promise<ReceivedMail> {
    const find = (): ReceivedMail | undefined =>
      server.received.find((mail) => mail.to.includes(address) && mail.subject.startsWith(subject));
    await until(() => find() !== undefined);
    return find()!;
  }

  it('invite a person, and then the response has no link', async () => {
    const email = 'ben@example.com';
    const invited = await owner.ask('POST', '/v1/account/invitations', { email, role: 'viewer' });
    expect(invited.status).to.equal(201);
    expect(invited.body.invitation.mailed).to.equal(true);
    expect(invited.body.invitation).not.to.have.property('url');
    const listed = await owner.ask('GET', '/v1/account/invitations');
    expect(listed.body.invitations[0].mailed).to.equal(true);
    const mail = await mailTo(email, 'Invitation');
    expect(mail.text).to.contain(`invites you to the account ${world.email}, as viewer`);
    const joined = await anyone.post('/v1/invitations/accept', { token: tokenOf(mail), password: NEW_PASSWORD });
    expect(joined.status).to.equal(201);
    const stored = await world.database.collection('mails').findOne({ to: email });
    expect(stored).not.to.have.property('secret');
  });

  it('show the link where a bound of mails is reached', async () => {
    const invite = () => owner.ask('POST', '/v1/account/invitations', { email: 'cat@example.com', role: 'viewer' });
    for (let at = 0; at < 5; at++) expect((await invite()).body.invitation.mailed).to.equal(true);
    const sixth = await invite();
    expect(sixth.body.invitation.mailed).to.equal(false);
    expect(sixth.body.invitation.url).to.contain('/invitation#inv_');
  });

  it('verify the address of someone new', async () => {
    const dora = await signUp(world, 'dora@example.com');
    const token = tokenOf(await mailTo('dora@example.com', 'Verify'));
    expect((await anyone.post('/v1/account/email/verification/confirm', { token })).status).to.equal(204);
    const wrong = await anyone.post('/v1/account/email/verification/confirm', { token: 'ver_wrong' });
    expect(wrong.status).to.equal(404);
    expect((await dora.ask('POST', '/v1/account/email/verification', {})).status).to.equal(202);
    const person = await world.database.collection('people').findOne({ email: 'dora@example.com' });
    expect(person?.['verifiedAt']).to.be.instanceOf(Date);
  });

  it('reset a password, and the response is the same for an address that nobody has', async () => {
    const methods = await anyone.get('/v1/session/methods');
    expect(methods.body.password_reset).to.equal(true);
    const eve = await signUp(world, 'eve@example.com');
    const known = await anyone.post('/v1/account/password/reset', { email: 'Eve@Example.com' });
    const unknown = await anyone.post('/v1/account/password/reset', { email: 'nobody@example.com' });
    expect(known.status).to.equal(202);
    expect(unknown.status).to.equal(202);
    expect(unknown.bytes).to.deep.equal(known.bytes);
    const token = tokenOf(await mailTo('eve@example.com', 'Choose'));
    const body = { token, new_password: NEW_PASSWORD };
    expect((await anyone.post('/v1/account/password/reset/confirm', body)).status).to.equal(204);
    expect((await anyone.post('/v1/account/password/reset/confirm', body)).status).to.equal(404);
    expect((await eve.ask('GET', '/v1/account')).status).to.equal(401);
    await signIn(world, 'eve@example.com', NEW_PASSWORD);
    expect(server.received.some(({ to }) => to.includes('nobody@example.com'))).to.equal(false);
  });

  it('that prove an address remove the second factors of whoever signed up with it', async () => {
    const stranger = await signUp(world, 'hal@example.com');
    const { id, totp } = (await stranger.ask('POST', '/v1/account/second-factors', { kind: 'totp', name: 'x' })).body;
    const code = generateSync({ secret: totp.secret as string });
    const path = `/v1/account/second-factors/${id as string}/confirm`;
    expect((await stranger.ask('POST', path, { code })).status).to.equal(200);
    await anyone.post('/v1/account/password/reset', { email: 'hal@example.com' });
    const token = tokenOf(await mailTo('hal@example.com', 'Choose'));
    const body = { token, new_password: NEW_PASSWORD };
    expect((await anyone.post('/v1/account/password/reset/confirm', body)).status).to.equal(204);
    // The sign-in needs no second factor any more.
    await signIn(world, 'hal@example.com', NEW_PASSWORD);
  });

  it('are tested by the operator, with the words of the mail server', async () => {
    const admin = operator(world);
    expect((await admin.sendTestMail({ to: 'fay@example.com' })).response).to.equal('250 taken');
    await mailTo('fay@example.com', 'Test of the mail server');
    const refusal = await admin.sendTestMail({ to: 'gone@example.com' }).catch((error: unknown) => String(error));
    expect(refusal).to.contain('550 no such mailbox');
    const bad = await admin.sendTestMail({ to: 'a@b.c\r\nBcc: x@y.z' }).catch((error: unknown) => String(error));
    expect(bad).to.contain('is not one plain e-mail address');
  });

  it('are not needed for a link of the operator', async () => {
    await signUp(world, 'gus@example.com');
    const { url } = await operator(world).createPasswordLink({ email: 'gus@example.com' });
    const token = /^\/reset#(.*)$/.exec(url)?.[1];
    const body = { token, new_password: NEW_PASSWORD };
    expect((await anyone.post('/v1/account/password/reset/confirm', body)).status).to.equal(204);
    await signIn(world, 'gus@example.com', NEW_PASSWORD);
  });
});
