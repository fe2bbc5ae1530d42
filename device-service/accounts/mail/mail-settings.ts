import { readFileSync } from 'node:fs';
import type { Settings } from '../../../kit/config/settings.js';
import { parseUrl } from '../../../kit/text/parse-url.js';
import { type MailSender, parseSender } from './mail-address.js';

/** How to reach the mail server. */
export interface SmtpConfig {
  host: string;
  port: number;
  /** `always`: TLS from the first byte. `starttls`: the connection is upgraded, or not used. `never`: it stays as it is. */
  tls: 'always' | 'starttls' | 'never';
  /** Absent: the server needs no sign-in. */
  login: { user: string; pass: string } | undefined;
  /** Certificate authorities in PEM that the server's certificate is checked with. Absent: the well-known ones. */
  ca: string | undefined;
}

export interface MailConfig {
  smtp: SmtpConfig;
  from: MailSender;
  /** Where the links of mails lead. */
  publicUrl: URL;
}

const EXAMPLE = 'smtps://user:password@mail.example.com';

/** Reads SMTP_URL, MAIL_FROM and SMTP_CA_FILE. Undefined: the service sends no mail. */
export function mailSettings(settings: Settings, publicUrl: URL | undefined): MailConfig | undefined {
  const url = settings.secret('SMTP_URL');
  const fromText = settings.optionalText('MAIL_FROM');
  const ca = caSetting(settings);
  if (url === undefined) {
    settings.require(
      fromText === undefined,
      'MAIL_FROM is set without SMTP_URL: set SMTP_URL too, or remove MAIL_FROM',
    );
    return undefined;
  }
  const smtp = parseSmtpUrl(url);
  // The error leaves out the value, which may hold a password.
  settings.require(smtp !== undefined, `SMTP_URL is not a URL of a mail server, such as ${EXAMPLE}`);
  const from = fromText === undefined ? undefined : parseSender(fromText);
  settings.require(
    from !== undefined,
    `MAIL_FROM ${fromText === undefined ? 'is missing' : `"${fromText}" cannot be used`}: name the sender of mails, such as Cloud phones <phones@example.com>`,
  );
  settings.require(
    publicUrl !== undefined,
    'PUBLIC_URL is missing: the links of mails lead there, so SMTP_URL needs it, such as https://phones.example.com',
  );
  if (smtp === undefined || from === undefined || publicUrl === undefined) return undefined;
  return { smtp: { ...smtp, ca }, from, publicUrl };
}

function caSetting(settings: Settings): string | undefined {
  const path = settings.optionalText('SMTP_CA_FILE');
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
    settings.require(false, `SMTP_CA_FILE="${path}" cannot be read: ${reason}. Name a file that this user may read`);
    return undefined;
  }
  settings.require(
    text.includes('-----BEGIN CERTIFICATE-----'),
    `SMTP_CA_FILE="${path}" holds no certificate in PEM form`,
  );
  return text;
}

/**
 * Reads `smtps://` (TLS from the first byte, port 465) or `smtp://` (port 587). The links of mails are secrets, so `smtp://` needs
 * STARTTLS, except on this machine and with `?tls=off`.
 */
function parseSmtpUrl(text: string): Omit<SmtpConfig, 'ca'> | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = url;
  const secure = protocol === 'smtps:';
  if (!secure && protocol !== 'smtp:') return undefined;
  const tls = searchParams.get('tls');
  const unknown = [...searchParams.keys()].some((name) => name !== 'tls') || (tls !== null && tls !== 'off');
  if (hostname === '' || !['', '/'].includes(pathname) || hash !== '' || unknown || (secure && tls !== null))
    return undefined;
  const login = decoded(username, password);
  if (login === undefined || (login.user === '') !== (login.pass === '')) return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isOwn = host === 'localhost' || host === '::1' || /^127\./.test(host);
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    tls: secure ? 'always' : isOwn || tls === 'off' ? 'never' : 'starttls',
    login: login.user === '' ? undefined : login,
  };
}

function decoded(user: string, pass: string): { user: string; pass: string } | undefined {
  try {
    return { user: decodeURIComponent(user), pass: decodeURIComponent(pass) };
  } catch {
    // A percent sign that stands for nothing: the caller reports the whole URL as unusable.
    return undefined;
  }
}
