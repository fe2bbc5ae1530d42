import { expect } from 'chai';
import { Settings } from '../kit/config/settings.js';
import { signInSettings } from './sign-in-settings.js';

const GOOD = {
  OIDC_ISSUER: 'https://login.example.com/realms/qa',
  OIDC_CLIENT_ID: 'cloudphone',
  OIDC_CLIENT_SECRET: 'the secret',
  OIDC_ROLES: 'qa-admins=ann@example.com:admin, /Phones/QA=Ann@Example.com:operator',
};
const PUBLIC_URL = new URL('https://phones.example.com');

describe('the settings of sign-in', () => {
  const faultsOf = (environment: Record<string, string>, publicUrl: URL | undefined = PUBLIC_URL): string => {
    const settings = new Settings(environment);
    signInSettings(settings, publicUrl);
    try {
      settings.check();
      return '';
    } catch (error) {
      return String(error);
    }
  };

  it('name the provider, and the role that each group gives', () => {
    const { oidc, passwordSignIn } = signInSettings(new Settings(GOOD), PUBLIC_URL);
    expect(passwordSignIn).to.equal(true);
    expect(oidc).to.include({ issuer: GOOD.OIDC_ISSUER, groupsClaim: 'groups', trustsEmails: false });
    expect(oidc?.roles).to.deep.equal([
      { group: 'qa-admins', email: 'ann@example.com', role: 'admin' },
      { group: '/Phones/QA', email: 'ann@example.com', role: 'operator' },
    ]);
    expect(faultsOf(GOOD)).to.equal('');
  });

  it('are off by default', () => {
    expect(signInSettings(new Settings({}), undefined)).to.deep.equal({ passwordSignIn: true, oidc: undefined });
  });

  it('are refused where they are not safe or not whole, and without the secret in the text', () => {
    const refused: [Record<string, string>, string][] = [
      [{ ...GOOD, OIDC_ISSUER: 'http://login.example.com' }, 'is not an https URL'],
      [{ ...GOOD, OIDC_ISSUER: 'http://127.0.0.1.example.com' }, 'is not an https URL'],
      [{ ...GOOD, OIDC_ISSUER: 'login.example.com' }, 'is not an https URL'],
      [{ ...GOOD, OIDC_CLIENT_SECRET: '' }, 'OIDC_ISSUER needs'],
      [{ ...GOOD, OIDC_ISSUER: '' }, 'OIDC_ISSUER is missing'],
      [{ ...GOOD, OIDC_ROLES: 'qa=ann@example.com:king' }, 'is not group=account:role'],
      [
        { ...GOOD, OIDC_ROLES: Array.from({ length: 2_000 }, (_, at) => `g${at}=a@b.c:viewer`).join() },
        'more than 200',
      ],
      [{ ...GOOD, OIDC_SCOPES: 'profile email' }, 'lacks openid'],
      [{ PASSWORD_SIGN_IN: 'off' }, 'nobody can sign in'],
    ];
    for (const [environment, text] of refused) {
      expect(faultsOf(environment), text).to.contain(text).and.not.to.contain('the secret');
    }
    expect(faultsOf({ ...GOOD, OIDC_ISSUER: 'http://127.0.0.1:4000' })).to.equal('');
    const settings = new Settings(GOOD);
    signInSettings(settings, undefined);
    expect(() => settings.check()).to.throw('PUBLIC_URL');
  });
});
