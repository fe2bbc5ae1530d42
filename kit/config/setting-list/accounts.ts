import type { SettingGroup } from './setting.js';

/** Settings that decide who may use the service, how much, and at what price. */
export const ACCOUNTS = {
  title: 'Accounts, limits and money',
  settings: [
    {
      name: 'SIGNUP',
      fallback:
        '(`open`; `closed` where `HOST` is not loopback and there is neither `TLS_CERT` nor https in `PUBLIC_URL`)',
      meaning:
        'Whether anyone may make an account: `open` or `closed`. A device service alone goes by its `DEVICE_HOST` and `PUBLIC_URL`.',
    },
    {
      name: 'PASSWORD_SIGN_IN',
      fallback: '`on`',
      meaning:
        '`off`: people sign in by the identity provider alone, and nobody signs up. It needs `OIDC_ISSUER`; `npm run admin -- account sign-in-link` stays as the way in of the operator: [docs/single-sign-on.md](single-sign-on.md).',
    },
    {
      name: 'OIDC_ISSUER',
      fallback: '(none)',
      meaning:
        'The identity provider for sign-in by OpenID Connect, an https URL exactly as the provider writes its issuer. It needs `PUBLIC_URL`: [docs/single-sign-on.md](single-sign-on.md).',
    },
    { name: 'OIDC_CLIENT_ID', fallback: '(none)', meaning: 'The id of this service at the identity provider.' },
    {
      name: 'OIDC_CLIENT_SECRET',
      fallback: '(none)',
      hasFile: true,
      meaning: 'The secret of this service at the identity provider.',
    },
    {
      name: 'OIDC_SCOPES',
      fallback: '`openid profile email offline_access`',
      meaning: 'Scopes that are asked for, with spaces. Without a refresh token, a session ends after an hour.',
    },
    {
      name: 'OIDC_GROUPS_CLAIM',
      fallback: '`groups`',
      meaning: 'The claim with the groups of a person. Dots go into objects, as in `realm_access.roles`.',
    },
    {
      name: 'OIDC_ROLES',
      fallback: '(none)',
      meaning:
        'Which group gives which role in which account: `group=account:role` with commas, such as `qa=ann@example.com:operator`. At most 200.',
    },
    {
      name: 'OIDC_EMAILS',
      fallback: '`verified`',
      meaning:
        '`trusted`: addresses are believed without the claim `email_verified`. Only for a provider where people cannot choose their address.',
    },
    {
      name: 'QUOTA_DEVICES',
      fallback: '`200`',
      meaning: 'Devices of an account, 0 to 1,000,000; 0: no bound.',
    },
    {
      name: 'QUOTA_STORAGE_GB',
      fallback: '`50`',
      meaning:
        'GB (10^9 bytes) that the phones, snapshots, templates, recordings and library apps of an account may take together, 0 to 1,000,000; 0: no bound.',
    },
    {
      name: 'AUDIT_DAYS',
      fallback: '`365`',
      meaning:
        'How long the entries of audit logs are kept, days, 1 to 3,650. The same for every device service of a database.',
    },
    {
      name: 'AUDIT_LOG',
      fallback: '`database`',
      meaning:
        '`stdout`: each entry of an audit log is also written to standard output, as one line of JSON with `"audit": true`, for a collector.',
    },
    {
      name: 'KEY_REQUESTS_PER_MINUTE',
      fallback: '`60`',
      meaning: 'Requests of one API key, 1 to 1,000,000. An account has 30 times those of a key, and at least 600.',
    },
    {
      name: 'DEVICE_REQUESTS_PER_MINUTE',
      fallback: '`120`',
      meaning: 'Requests for one device over all keys, 1 to 1,000,000.',
    },
    {
      name: 'MCP',
      fallback: '`on`',
      meaning:
        '`off`: the edge has no `/mcp`, by which AI agents use phones with an API key ([MCP](mcp.md)). The API itself stays as it is.',
    },
    {
      name: 'BILLING',
      fallback: '`on`',
      meaning:
        '`off`: nothing is charged, no phone is refused or stopped because of the balance, there is no trial, and minutes are counted at no cost. The same for every device service of a database: [docs/billing.md](billing.md).',
    },
    {
      name: 'PRICE_MINUTE',
      fallback: '`0.004`',
      meaning:
        'USD for a begun minute of a phone, 0 to 1,000. `GET /v1/prices` shows it. The same for every device service of a database.',
    },
    {
      name: 'PRICE_MONTH',
      fallback: '`12.00`',
      meaning: 'USD for a month of a phone, 0 to 1,000. The same for every device service of a database.',
    },
    {
      name: 'TRIAL_MINUTES',
      fallback: '`30`',
      meaning:
        'Free minutes of an account that was never topped up, 0: none. The same for every device service of a database.',
    },
    {
      name: 'SMTP_URL',
      fallback: '(none: no mail is sent)',
      hasFile: true,
      meaning:
        'The mail server: `smtps://user:password@host` (TLS, port 465) or `smtp://…` (STARTTLS, port 587; on this machine without TLS). `?tls=off` after `smtp://host` sends without TLS. It needs `MAIL_FROM` and `PUBLIC_URL`. The same for every device service of a database.',
    },
    {
      name: 'MAIL_FROM',
      fallback: '(none; needed with `SMTP_URL`)',
      meaning: 'The sender of mails, such as `Cloud phones <phones@example.com>`.',
    },
    {
      name: 'SMTP_CA_FILE',
      fallback: '(the well-known authorities)',
      meaning: "Certificate authorities in PEM that the mail server's certificate is checked with.",
    },
    {
      name: 'STRIPE_SECRET_KEY',
      fallback: '(none)',
      hasFile: true,
      meaning: 'With `STRIPE_WEBHOOK_SECRET`, owners can buy credit by Stripe Checkout: [docs/topups.md](topups.md).',
    },
    {
      name: 'STRIPE_WEBHOOK_SECRET',
      fallback: '(none)',
      hasFile: true,
      meaning: "The signing secret of Stripe's webhook; see `STRIPE_SECRET_KEY`.",
    },
    {
      name: 'STRIPE_API_URL',
      fallback: '`https://api.stripe.com`',
      meaning: "Another address in place of Stripe's, for tests.",
    },
  ],
} as const satisfies SettingGroup;
