import { expect } from 'chai';
import { picture } from '../testing/picture.js';
import { TREE_SCREEN, uiNode, uiTree } from '../testing/ui-trees.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import type { UiNode } from '../tree/ui-node.js';
import { hideSecretPixels, hideSecrets, hideSecretText } from './hide-secrets.js';
import { NOTHING_SEEN } from './observation.js';

const HIDDEN = '••••••••';

describe('secret texts', () => {
  const content = {
    ...NOTHING_SEEN,
    texts: [{ text: 'my hunter2!', bounds: { x: 2, y: 3, width: 4, height: 5 } }],
  };

  it('are hidden in words of any length', () => {
    expect(hideSecrets(content, ['hunter2']).texts[0]?.text).to.equal('my ••••••••!');
  });

  it('are hidden whole when one begins like another, in any case, with any line ends and blanks at their ends', () => {
    const hidden = (text: string, ...secrets: string[]) =>
      hideSecrets({ ...content, texts: [{ text, bounds: content.texts[0]!.bounds }] }, secrets).texts[0]!.text;
    expect(hidden('1234567', '1234', '1234567')).to.equal('••••••••');
    expect(hidden('Hunter2', 'hunter2')).to.equal('••••••••');
    expect(hidden('a.c abc', 'a.c')).to.equal('•••••••• abc');
    expect(hidden('first\nsecond', 'first\r\nsecond')).to.equal('••••••••');
    expect(hidden('pass1', ' pass1 ')).to.equal('••••••••');
  });

  it('are blacked out in the picture where they show, and nowhere else', () => {
    const before = picture(10, 12);
    const after = hideSecretPixels(before, content, ['hunter2'], { withPasswords: false });
    expect(after.data.readUInt8((3 * 10 + 2) * 4)).to.equal(0);
    expect(after.data.readUInt8((7 * 10 + 5) * 4)).to.equal(0);
    expect(after.data.readUInt8((8 * 10 + 2) * 4)).to.equal(255);
    expect(after.data.readUInt8((3 * 10 + 6) * 4)).to.equal(255);
    expect(hideSecretPixels(before, content, ['other'], { withPasswords: false })).to.equal(before);
  });

  const SECRET = 'Kilimanjaro & Söhne 59%';
  const encoded = Buffer.from(`user:${SECRET}`).toString('base64');
  for (const [what, text, shown] of [
    ['after its last letters were deleted', 'Kilimanj', HIDDEN],
    ['cut off', 'Password: kilim…', `Password: ${HIDDEN}…`],
    ['of which four letters are left', 'manj', HIDDEN],
    [
      'encoded in an address',
      'https://a.b/?q=Kilimanjaro%20%26%20S%C3%B6hne%2059%25&x=1',
      `https://a.b/?q=${HIDDEN}&x=1`,
    ],
    ['encoded in an address of a form', 'q=Kilimanjaro+%26+S%c3%b6hne+59%25', `q=${HIDDEN}`],
    ['encoded twice', 'next=%2Fs%3Fq%3D%2526%2520S%25C3%25B6hne', `next=%2Fs%3Fq%3D${HIDDEN}`],
    ['escaped in HTML', '<b>o &amp; S&ouml;hne &#38; o&nbsp;&#x26; S&#246;h</b>', undefined],
    ['in base64', `Basic ${encoded}`, `Basic ${HIDDEN}`],
    ['in base64 that is cut off at both ends', encoded.slice(9, -6), HIDDEN],
    ['in base64 in an address', `t=${encodeURIComponent(encoded.slice(0, 24))}`, `t=${HIDDEN}`],
  ] as const) {
    it(`are hidden ${what}`, () => {
      const hidden = hideSecretText(text, [SECRET]);
      if (shown === undefined) expect(hidden).to.not.match(/&amp; S|&#x26; S&#246;h/);
      else expect(hidden).to.equal(shown);
    });
  }

  it('leave other texts as they are, also such that have three of their letters', () => {
    for (const text of [
      'Kil, the mountain',
      'aGVsbG8gd29ybGQh',
      '100 %',
      'a+b=c & d',
      '',
      ' ',
      '&amp;&#xffffffff;%zz%',
    ])
      expect(hideSecretText(text, [SECRET])).to.equal(text);
  });

  it('of fewer than four characters are hidden as a whole', () => {
    expect(hideSecretText('1234 pin 123', ['123'])).to.equal(`${HIDDEN}4 pin ${HIDDEN}`);
  });

  it('are blacked out with password fields, and with the pictures of apps in the overview', () => {
    const bounds = { x: 2, y: 3, width: 4, height: 5 };
    const isBlack = (shown: ScreenContent, withPasswords = true): boolean =>
      hideSecretPixels(picture(10, 12), { ...NOTHING_SEEN, ...shown }, ['hunter2'], { withPasswords }).data.readUInt8(
        (3 * 10 + 2) * 4,
      ) === 0;
    const password = uiNode('EditText', { at: [2, 3, 4, 5], password: true, clickable: true });
    const card = uiNode('ImageView', { at: [2, 3, 4, 5], resourceId: 'com.android.launcher3:id/snapshot' });
    const seen = (node: UiNode) => elementsOf(uiTree(node), TREE_SCREEN);
    expect(isBlack(seen(password))).to.equal(true);
    expect(isBlack(seen(password), false)).to.equal(false);
    expect(isBlack(seen(card), false)).to.equal(true);
    expect(
      hideSecretPixels(picture(10, 12), { ...NOTHING_SEEN, appPictures: [bounds] }, [], {
        withPasswords: true,
      }).data.readUInt8((3 * 10 + 2) * 4),
    ).to.equal(255);
  });
});
