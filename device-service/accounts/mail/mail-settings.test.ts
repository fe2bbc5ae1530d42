import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Settings } from '../../../kit/config/settings.js';
import { selfSigned } from '../../../testing/self-signed.js';
import { type MailConfig, mailSettings } from './mail-settings.js';

const PUBLIC_URL = new URL('https://phones.example.com');
const MAIL_FROM = 'Cloud phones <phones@example.com>';

function read(environment: Record<string, string>, publicUrl: URL | undefined = PUBLIC_URL): MailConfig | undefined {
  const settings = new Settings(environment);
  const config = mailSettings(settings, publicUrl);
  settings.check();
  return config;
}

describe('the settings of mail', () => {
  it('are none without SMTP_URL', () => {
    expect(read({})).to.equal(undefined);
    expect(() => read({ MAIL_FROM })).to.throw('MAIL_FROM is set without SMTP_URL');
  });

  it('name host, port, TLS and login of the mail server', () => {
    const smtp = (SMTP_URL: string): unknown => read({ SMTP_URL, MAIL_FROM })?.smtp;
    expect(smtp('smtps://ann:p%40ss@mail.example.com')).to.deep.equal({
      ...{ host: 'mail.example.com', port: 465, tls: 'always', ca: undefined },
      login: { user: 'ann', pass: 'p@ss' },
    });
    const open = { host: 'mail.example.com', port: 587, tls: 'starttls', ca: undefined, login: undefined };
    expect(smtp('smtp://mail.example.com')).to.deep.equal(open);
    expect(smtp('smtp://mail.example.com:25?tls=off')).to.deep.equal({ ...open, port: 25, tls: 'never' });
    expect(smtp('smtp://localhost:1025')).to.deep.equal({ ...open, host: 'localhost', port: 1025, tls: 'never' });
    expect(smtp('smtp://[::1]:1025')).to.deep.equal({ ...open, host: '::1', port: 1025, tls: 'never' });
  });

  it('name the sender, and the authorities of the certificate', () => {
    const SMTP_CA_FILE = join(mkdtempSync(join(tmpdir(), 'mail-ca-')), 'ca.pem');
    const { cert } = selfSigned();
    writeFileSync(SMTP_CA_FILE, cert);
    const config = read({ SMTP_URL: 'smtps://mail.example.com', MAIL_FROM, SMTP_CA_FILE });
    expect(config?.from).to.deep.equal({ name: 'Cloud phones', address: 'phones@example.com' });
    expect(config?.smtp.ca).to.equal(cert);
  });

  it('name each fault, and never the URL, which may hold a password', () => {
    const bad = [
      'mail.example.com',
      'https://mail.example.com',
      'smtp://',
      'smtp://user@mail.example.com',
      'smtp://mail.example.com/inbox',
      'smtp://mail.example.com?tls=maybe',
      'smtps://mail.example.com?tls=off',
      'smtp://us%er:secret@mail.example.com',
    ];
    for (const SMTP_URL of bad) {
      const attempt = (): unknown => read({ SMTP_URL, MAIL_FROM });
      expect(attempt, SMTP_URL).to.throw('SMTP_URL is not a URL of a mail server, such as smtps://');
      expect(attempt, SMTP_URL).not.to.throw('secret@');
    }
    const SMTP_URL = 'smtps://mail.example.com';
    expect(() => read({ SMTP_URL })).to.throw('MAIL_FROM is missing');
    expect(() => read({ SMTP_URL, MAIL_FROM: 'phones' })).to.throw('MAIL_FROM "phones" cannot be used');
    expect(() => read({ SMTP_URL, MAIL_FROM: 'a@b.c, d@e.f' })).to.throw('cannot be used');
    const settings = new Settings({ SMTP_URL, MAIL_FROM });
    mailSettings(settings, undefined);
    expect(() => settings.check()).to.throw('PUBLIC_URL is missing');
    expect(() => read({ SMTP_URL, MAIL_FROM, SMTP_CA_FILE: '/nowhere/ca.pem' })).to.throw('cannot be read: ENOENT');
  });
});
