import { expect } from 'chai';
import { picture } from '../testing/picture.js';
import { TREE_SCREEN, uiNode, uiText, uiTree } from '../testing/ui-trees.js';
import { elementsOf } from '../tree/elements.js';
import type { UiNode } from '../shapes/ui-node.js';
import { hideSecretPixels, hideSecrets, hideSecretText } from './hide-secrets.js';
import { NOTHING_BEFORE, type Secret } from './secret.js';

const HIDDEN = '••••••••';

const typed = (text: string, app = 'com.x'): Secret => ({ text, apps: new Set([app]), before: NOTHING_BEFORE });
const anywhere = (...texts: string[]): Secret[] => texts.map((text) => typed(text, ''));
const contentOf = (secrets: Secret[], ...nodes: UiNode[]) =>
  elementsOf(hideSecrets(uiTree(...nodes), secrets), TREE_SCREEN);

describe('secret texts', () => {
  const at = [2, 3, 4, 5] as const;

  it('are hidden in words of any length', () => {
    const content = contentOf([typed('hunter2')], uiText('my hunter2!', at));
    expect(content.texts[0]?.text).to.equal('my ••••••••!');
    expect(content.elements[0]?.words).to.deep.equal(['my ••••••••!']);
  });

  it('are hidden in descriptions, in hints, in what rows are made of, and in the contents of fields', () => {
    const shown = contentOf(
      [typed('hunter2')],
      uiNode('LinearLayout', { at: [0, 0, 200, 50], clickable: true }, uiText('hunter2', [0, 0, 50, 50])),
      uiNode('EditText', {
        at: [0, 50, 200, 50],
        text: 'hunter2',
        hint: 'not hunter2',
        description: 'hunter2',
        clickable: true,
      }),
    );
    expect(JSON.stringify(shown)).to.not.contain('hunter2');
    expect(shown.elements[0]?.label).to.equal(HIDDEN);
  });

  it('are hidden whole when one begins like another, with any line ends and blanks at their ends', () => {
    const hidden = (text: string, ...secrets: string[]) =>
      contentOf(
        secrets.map((one) => typed(one)),
        uiText(text, at),
      ).texts[0]!.text;
    expect(hidden('1234567', '1234', '1234567')).to.equal('••••••••');
    expect(hidden('a.c abc', 'a.c')).to.equal('•••••••• abc');
    expect(hidden('first\nsecond', 'first\r\nsecond')).to.equal('••••••••');
    expect(hidden('pass1', ' pass1 ')).to.equal('••••••••');
  });

  it('are blacked out in the picture where they show, and nowhere else', () => {
    const before = picture(10, 12);
    const none = { withApps: false, withPasswords: false };
    const after = hideSecretPixels(before, contentOf([typed('hunter2')], uiText('my hunter2!', at)), none);
    expect(after.data.readUInt8((3 * 10 + 2) * 4)).to.equal(0);
    expect(after.data.readUInt8((7 * 10 + 5) * 4)).to.equal(0);
    expect(after.data.readUInt8((8 * 10 + 2) * 4)).to.equal(255);
    expect(after.data.readUInt8((3 * 10 + 6) * 4)).to.equal(255);
    expect(hideSecretPixels(before, contentOf([typed('other')], uiText('my hunter2!', at)), none)).to.equal(before);
    expect(hideSecretPixels(before, contentOf([typed('hunter2')], uiText('•••', at)), none), 'dots of an app').to.equal(
      before,
    );
  });

  const SECRET = 'Kilimanjaro & Söhne 59%';
  const encoded = Buffer.from(`user:${SECRET}`).toString('base64');
  for (const [what, text, shown] of [
    ['after its last letters were deleted', 'Kilimanj', HIDDEN],
    ['cut off', 'Password: Kilima…', `Password: ${HIDDEN}…`],
    ['of which six letters are left', 'Kilima', HIDDEN],
    ['of which the middle is left', '…jaro & Söh…', `…${HIDDEN}…`],
    ['without its beginning', 'my Söhne 59%', `my ${HIDDEN}`],
    [
      'encoded in an address',
      'https://a.b/?q=Kilimanjaro%20%26%20S%C3%B6hne%2059%25&x=1',
      `https://a.b/?q=${HIDDEN}&x=1`,
    ],
    ['encoded in an address of a form', 'q=Kilimanjaro+%26+S%c3%b6hne+59%25', `q=${HIDDEN}`],
    ['encoded twice', 'next=%2Fs%3Fq%3D%2526%2520S%25C3%25B6hne', `next=%2Fs%3Fq%3D${HIDDEN}`],
    ['escaped in HTML', '<b>o &amp; S&ouml;hne &#38; o&nbsp;&#x26; S&#246;h</b>', undefined],
    ['escaped in JSON', '{"p":"Kilimanjaro \\u0026 S\\u00f6hne 59%"}', `{"p":"${HIDDEN}"}`],
    ['with the marks of letters apart', 'Kilimanjaro & So\u0308hne 59%', HIDDEN],
    ['with soft hyphens and joiners', 'Kili\u00admanjaro & S\u200bö\u2060hne 59%', HIDDEN],
    ['in base64', `Basic ${encoded}`, `Basic ${HIDDEN}`],
    ['in base64 that is cut off at both ends', encoded.slice(9, -6), HIDDEN],
    ['in base64 in an address', `t=${encodeURIComponent(encoded.slice(0, 24))}`, `t=${HIDDEN}`],
    ['in base64 of addresses', `t=${Buffer.from(SECRET).toString('base64url')}`, `t=${HIDDEN}`],
    ['in hexadecimal', `x ${Buffer.from(SECRET).toString('hex')}`, `x ${HIDDEN}`],
  ] as const) {
    it(`are hidden ${what}`, () => {
      const hidden = hideSecretText(text, anywhere(SECRET));
      if (shown === undefined) expect(hidden).to.not.match(/&amp; S|&#x26; S&#246;h/);
      else expect(hidden).to.equal(shown);
    });
  }

  it('leave other texts as they are, also such that have some of their letters', () => {
    for (const text of [
      'Kil, the mountain',
      'kilimanjaro',
      'manj',
      'aGVsbG8gd29ybGQh',
      '100 %',
      'a+b=c & d',
      '',
      ' ',
      '&amp;&#xffffffff;%zz%',
    ])
      expect(hideSecretText(text, anywhere(SECRET))).to.equal(text);
  });

  it('of fewer than four characters are hidden as a whole', () => {
    expect(hideSecretText('1234 pin 123', anywhere('123'))).to.equal(`${HIDDEN}4 pin ${HIDDEN}`);
  });

  it('of less than twelve characters are hidden from half of them on, where the text shows that it was cut off', () => {
    for (const [secret, text, hidden] of [
      ['Hunter2!', 'Hunt…', `${HIDDEN}…`],
      ['Hunter2!', 'your password Hunt...', `your password ${HIDDEN}...`],
      ['Hunter2!', '…er2!', `…${HIDDEN}`],
      ['4711', '471•', '471•'],
      ['4711', '471••', `${HIDDEN}••`],
      ['482913', '482**', `${HIDDEN}**`],
      ['482913', 'Code: 4829', `Code: ${HIDDEN}`],
      ['letmein', 'pw=letm', `pw=${HIDDEN}`],
      ['S3cret', 'is S3c', `is ${HIDDEN}`],
      ['password1', 'ends in word1', `ends in ${HIDDEN}`],
    ] as const)
      expect(hideSecretText(text, anywhere(secret)), `${secret} in ${text}`).to.equal(hidden);
    const field = uiNode('EditText', { at, text: 'hunt', clickable: true });
    expect(contentOf([typed('hunter2')], field).elements[0]?.text).to.equal(HIDDEN);
    const other = uiNode('EditText', { at, text: 'hunt for it', clickable: true });
    expect(contentOf([typed('hunter2')], other).elements[0]?.text).to.equal('hunt for it');
  });

  it('that are codes are hidden in groups, with and without blanks and hyphens', () => {
    const iban = 'DE89370400440532013000';
    for (const [secret, text, hidden] of [
      [iban, 'IBAN DE89 3704 0044 0532 0130 00', `IBAN ${HIDDEN}`],
      [iban, 'to DE89 3704 0044…', `to ${HIDDEN}…`],
      ['DE89 3704 0044 0532 0130 00', iban, HIDDEN],
      ['482913', 'Your code: 482 913', `Your code: ${HIDDEN}`],
      ['482913', 'Your code: 482-913.', `Your code: ${HIDDEN}.`],
    ] as const)
      expect(hideSecretText(text, anywhere(secret)), text).to.equal(hidden);
  });

  it('are hidden in the app that they were typed into, in browsers and on surfaces of the system, and in no other app', () => {
    const shownIn = (packageName: string) =>
      contentOf([typed('hunter2')], uiText('my hunter2!', at, { packageName })).texts[0]?.text;
    for (const app of [
      'com.x',
      '',
      'com.android.chrome',
      'org.mozilla.firefox',
      'com.android.systemui',
      'com.google.android.apps.nexuslauncher',
      'com.google.android.inputmethod.latin',
      'com.cloudphone.launcher',
    ])
      expect(shownIn(app), app).to.equal('my ••••••••!');
    for (const app of ['com.y', 'com.x.other', 'com.android.settings'])
      expect(shownIn(app), app).to.equal('my hunter2!');
  });

  it('are hidden in every app where it is not known which one they were typed into', () => {
    const other = uiText('my hunter2!', at, { packageName: 'com.y' });
    expect(contentOf([typed('hunter2', '')], other).texts[0]?.text).to.equal('my ••••••••!');
  });

  it('are blacked out with password fields, and with the pictures of apps in the overview', () => {
    const isBlack = (node: UiNode, withPasswords = true, withApps = true): boolean => {
      const content = elementsOf(uiTree(node), TREE_SCREEN);
      return (
        hideSecretPixels(picture(10, 12), content, { withApps, withPasswords }).data.readUInt8((3 * 10 + 2) * 4) === 0
      );
    };
    const password = uiNode('EditText', { at, password: true, clickable: true });
    const card = uiNode('ImageView', { at, resourceId: 'com.android.launcher3:id/snapshot' });
    expect(isBlack(password)).to.equal(true);
    expect(isBlack(password, false)).to.equal(false);
    expect(isBlack(card, false)).to.equal(true);
    expect(isBlack(card, true, false)).to.equal(false);
  });

  it('are searched in bounded time in any tree, and what is beyond the bound is hidden', () => {
    const secrets = anywhere(
      ...Array.from({ length: 20 }, (_, n) => `secret${n}-${'a'.repeat(200)}`),
      'a'.repeat(10_000),
    );
    for (const part of ['a', '… ', '=====', '%25', '&amp;', 'aGVs ', '\\u0061', '4 7-', 'A1']) {
      const startMs = performance.now();
      const shown = hideSecrets(uiTree(uiText(part.repeat(3_000_000 / part.length), at)), secrets);
      expect(shown.roots[0]?.children[0]?.text, part).to.contain(HIDDEN);
      for (const text of [part.repeat(290_000 / part.length)]) hideSecretText(text, secrets);
      expect(performance.now() - startMs, part).to.be.below(20_000);
    }
  });

  it('are hidden in a tree that is deeper than the stack', () => {
    let node = uiText('hunter2', at);
    for (let depth = 0; depth < 20_000; depth++) node = uiNode('FrameLayout', { at }, node);
    let inner = hideSecrets(uiTree(node), [typed('hunter2')]).roots[0];
    while (inner?.children[0] !== undefined) inner = inner.children[0];
    expect(inner?.text).to.equal(HIDDEN);
  });
});
