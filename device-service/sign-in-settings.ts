import type { Settings } from '../kit/config/settings.js';
import { parseUrl } from '../kit/text/parse-url.js';
import { MAX_GROUP_ROLES, type OidcConfig, parseGroupRoles } from './accounts/oidc/oidc-config.js';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Reads PASSWORD_SIGN_IN and the settings of the identity provider, see docs/single-sign-on.md. */
export function signInSettings(
  settings: Settings,
  publicUrl: URL | undefined,
): { passwordSignIn: boolean; oidc: OidcConfig | undefined } {
  const oidc = oidcSettings(settings, publicUrl);
  const passwordSignIn = settings.flag('PASSWORD_SIGN_IN', true);
  settings.require(
    passwordSignIn || settings.optionalText('OIDC_ISSUER') !== undefined,
    'PASSWORD_SIGN_IN=off needs an identity provider: set OIDC_ISSUER, or nobody can sign in',
  );
  return { passwordSignIn, oidc };
}

function oidcSettings(settings: Settings, publicUrl: URL | undefined): OidcConfig | undefined {
  const issuer = settings.optionalText('OIDC_ISSUER');
  const clientId = settings.optionalText('OIDC_CLIENT_ID');
  const clientSecret = settings.secret('OIDC_CLIENT_SECRET');
  const scopes = settings.text('OIDC_SCOPES', 'openid profile email offline_access');
  const groupsClaim = settings.text('OIDC_GROUPS_CLAIM', 'groups');
  const trustsEmails = settings.choice('OIDC_EMAILS', ['verified', 'trusted'], 'verified') === 'trusted';
  const { roles, fault } = parseGroupRoles(settings.text('OIDC_ROLES', ''));
  settings.require(
    fault === undefined,
    `OIDC_ROLES: "${fault ?? ''}" is not group=account:role, such as qa=ann@example.com:operator`,
  );
  settings.require(roles.length <= MAX_GROUP_ROLES, `OIDC_ROLES has more than ${MAX_GROUP_ROLES} entries`);
  settings.require(scopes.split(' ').includes('openid'), 'OIDC_SCOPES lacks openid, without which there is no sign-in');
  if (issuer === undefined) {
    settings.require(
      clientId === undefined && clientSecret === undefined,
      'OIDC_ISSUER is missing: OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are for the provider that it names',
    );
    return undefined;
  }
  const url = parseUrl(issuer);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  settings.require(isSafe, `OIDC_ISSUER "${issuer}" is not an https URL such as https://login.example.com/realms/qa`);
  const isWhole = clientId !== undefined && clientSecret !== undefined && publicUrl !== undefined;
  settings.require(isWhole, 'OIDC_ISSUER needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL');
  return isSafe && isWhole
    ? { issuer, clientId, clientSecret, scopes, groupsClaim, roles, trustsEmails, publicUrl }
    : undefined;
}
