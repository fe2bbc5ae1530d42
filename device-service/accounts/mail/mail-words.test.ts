import { expect } from 'chai';
import { isMailAddress, parseSender } from './mail-address.js';
import { mailText } from './mail-texts.js';
import { oneLine } from './one-line.js';
import { writeMail } from './write-mail.js';

describe('the words of mails', () => {
  it('go to one plain address', () => {
    for (const good of ['ann@example.com', "o'neil+x@sub.example.com", 'owner@localhost', 'jürgen@example.com'])
      expect(isMailAddress(good), good).to.equal(true);
    const bad = [
      '',
      'ann',
      'a@b@c',
      'a b@c',
      'a@b, c@d',
      'a@b\r\nBcc: x@y',
      '<a@b>',
      '"a"@b',
      'a@b;c@d',
      `${'a'.repeat(254)}@b`,
    ];
    for (const text of bad) expect(isMailAddress(text), text).to.equal(false);
  });

  it('read a sender with a name, and without one', () => {
    expect(parseSender('"Cloud phones" <a@b.c>')).to.deep.equal({ name: 'Cloud phones', address: 'a@b.c' });
    expect(parseSender('a@b.c')).to.deep.equal({ name: '', address: 'a@b.c' });
    expect(parseSender('Phones <a@b.c>\r\nBcc: x@y.z')).to.equal(undefined);
  });

  it('have text of users on one line each, bounded, and escaped in HTML', () => {
    const device = `demo\r\nBcc: x@example.com\u2028<img src="https://evil.example">${'x'.repeat(5_000)}`;
    const { subject, text, html } = writeMail(
      mailText(
        'attention',
        { device, account: 'ann@example.com', problem: 'adb', message: 'Restart it.' },
        'https://p.example/',
      ),
    );
    expect(subject).not.to.match(/[\r\n\u2028]/);
    expect(subject.length).to.be.lessThan(600);
    expect(html).not.to.contain('<img');
    expect(html).to.contain('&lt;img src=&quot;');
    expect(text).to.contain('Restart it.');
    expect(text).to.contain('https://p.example/');
  });

  it('load nothing from elsewhere', () => {
    const { html } = writeMail(mailText('reset', {}, 'https://p.example/reset#pwr_1'));
    expect(html).not.to.match(/<(img|script|link|iframe|style)/);
    expect(html).to.contain('<a href="https://p.example/reset#pwr_1">Choose a new password</a>');
  });

  it('are cut between characters', () => {
    expect(oneLine('😀'.repeat(400))).to.equal(`${'😀'.repeat(249)}…`);
    expect(oneLine(' a\t\n b\0c ')).to.equal('a b c');
  });
});
