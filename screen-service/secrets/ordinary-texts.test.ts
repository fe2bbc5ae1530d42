import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { ordinaryTexts } from '../testing/ordinary-texts.js';
import { uiNode, uiText, uiTree } from '../testing/ui-trees.js';
import type { UiNode, UiTree } from '../shapes/ui-node.js';
import { eachNode } from './each-node.js';
import { hideSecrets, hideSecretText } from './hide-secrets.js';
import { NOTHING_BEFORE, type Secret } from './secret.js';
import { TypedSecrets } from './typed-secrets.js';

const HIDDEN = '••••••••';

const SECRETS = [
  'password1',
  '4711',
  'letmein',
  'Hunter2!',
  'S3cret',
  'correct horse battery staple',
  'DE89370400440532013000',
  '482913',
  'mara.lind@example.com',
  'Tr0ub4dor&3',
];

/** Texts in rows of one screen. */
const screenOf = (texts: readonly string[], packageName = 'com.x'): UiTree =>
  uiTree(
    uiNode('EditText', {
      at: [0, 0, 300, 40],
      hint: 'Password',
      resourceId: `${packageName}:id/password`,
      packageName,
      clickable: true,
    }),
    ...texts.map((text, row) => uiText(text, [0, 40 + row, 300, 1], { packageName })),
  );

const textsOf = (tree: UiTree): string[] => [...eachNode(tree)].map(({ text }) => text).filter((text) => text !== '');

/** The phone's secrets after all were typed into com.x, on screens that showed these texts before. */
function typedAfter(texts: readonly string[]): TypedSecrets {
  const secrets = new TypedSecrets(new FakeClock());
  secrets.seen.add(screenOf(texts));
  for (const secret of SECRETS) secrets.remember(secret, 'com.x');
  return secrets;
}

const hiddenOf = (secrets: TypedSecrets, texts: readonly string[], app?: string): string[] => {
  const shown = textsOf(hideSecrets(screenOf(texts, app), secrets.all()));
  return texts.filter((text, row) => shown[row] !== text);
};

describe('ordinary texts after ten secrets were typed', () => {
  const texts = ordinaryTexts(500);

  it('are five hundred, of which many have words and numbers of the secrets', () => {
    expect(new Set(texts)).to.have.length(500);
    const like = texts.filter((text) =>
      /pass|4711|let me|hunter|secret|correct|battery|horse|staple|3704|482|mara|lind/i.test(text),
    );
    expect(like).to.have.length.above(150);
  });

  it('are all shown in another app', () => {
    expect(hiddenOf(typedAfter([]), texts, 'com.y')).to.deep.equal([]);
  });

  it('are all shown in the same app, where its screens had shown the words that are beside the secrets before', () => {
    const [seen, rest] = [texts.filter((text) => /4711|482 ?913|example\.com/.test(text)), texts];
    expect(hiddenOf(typedAfter(seen), rest)).to.deep.equal([]);
  });

  it('are shown in the same app without any screen before, but for the secrets themselves', () => {
    const hidden = hiddenOf(typedAfter([]), texts);
    const ordinary = hidden.filter((text) => !SECRETS.some((secret) => text.includes(secret) || /482 913/.test(text)));
    expect(ordinary).to.deep.equal([]);
  });

  it('are shown where the same text, or the number with the word beside it, was shown before', () => {
    const secrets = typedAfter(['order 4711', '4711', 'Mara Lind']);
    expect(
      hiddenOf(secrets, ['order 4711', 'Your Order 4711 has shipped', '4711', 'Order 4711, 12 EUR']),
    ).to.deep.equal([]);
    expect(hiddenOf(secrets, ['PIN 4711', 'PIN: 4711'])).to.have.length(2);
  });

  it('are shown where they are words of a hint or of a resource id, also when the secret is that word', () => {
    const secrets = new TypedSecrets(new FakeClock());
    secrets.seen.add(screenOf([]));
    secrets.remember('password', 'com.x');
    expect(hiddenOf(secrets, ['Forgot your password?', 'password'])).to.deep.equal([]);
    const field = uiNode('EditText', { at: [0, 0, 9, 9], text: 'password', clickable: true });
    expect(textsOf(hideSecrets(uiTree(field), secrets.all()))).to.deep.equal([HIDDEN]);
  });

  it('are hidden in the field alone where the secret stood on a screen before', () => {
    const secrets = typedAfter(['4711', 'order 4711']);
    const field = (text: string): UiNode => uiNode('EditText', { at: [0, 0, 9, 9], text, clickable: true });
    const tree = uiTree(field('4711'), field('order 4711'), uiText('4711', [0, 0, 9, 9]));
    expect(textsOf(hideSecrets(tree, secrets.all()))).to.deep.equal([HIDDEN, 'order 4711', '4711']);
  });
});

describe('a secret on screens', () => {
  it('is not taken for an ordinary text by what showed it since it was typed', () => {
    const secrets = new TypedSecrets(new FakeClock());
    const show = (text: string): string[] => {
      const hidden = hideSecrets(uiTree(uiText(text, [0, 0, 9, 9])), secrets.all());
      secrets.seen.add(hidden);
      return textsOf(hidden);
    };
    secrets.remember('hunter2', 'com.x');
    for (let time = 0; time < 3; time++) {
      expect(show('it is hunter2')).to.deep.equal([`it is ${HIDDEN}`]);
      secrets.remember('hunter2', time === 1 ? 'com.y' : 'com.x');
    }
  });

  it('is not taken for an ordinary text by what was in the field that is typed into', () => {
    const secrets = new TypedSecrets(new FakeClock());
    const field = uiNode('EditText', { at: [0, 0, 9, 9], text: 'my hunter2', focused: true, clickable: true });
    secrets.seen.add(uiTree(field));
    secrets.remember('hunter2', 'com.x');
    expect(textsOf(hideSecrets(uiTree(field), secrets.all()))).to.deep.equal([`my ${HIDDEN}`]);
  });

  it('is hidden although more texts were seen than are remembered, which takes bounded memory', () => {
    const secrets = new TypedSecrets(new FakeClock());
    for (let screen = 0; screen < 100; screen++)
      secrets.seen.add(
        uiTree(...Array.from({ length: 3_000 }, (_, row) => uiText(`row ${screen} ${row} 4711`, [0, 0, 9, 9]))),
      );
    expect(secrets.seen.characters).to.be.at.most(28_000);
    secrets.remember('4711', 'com.x');
    const [{ before } = { before: NOTHING_BEFORE }] = secrets.all();
    expect(before.texts.size).to.be.at.most(200);
    expect(hiddenOf(secrets, ['PIN 4711'])).to.have.length(1);
  });

  it('is hidden in all of its families', () => {
    const random = seededRandom(7);
    const shown: string[] = [];
    let tries = 0;
    for (const secret of [...SECRETS, 'Kilimanjaro & Söhne 59%', 'пароль-Ключ9', '密码是七个字符长的']) {
      const known: Secret[] = [{ text: secret, apps: new Set(['com.x']), before: NOTHING_BEFORE }];
      const family = familyOf(secret, random);
      for (const [kind, text, leak] of family) {
        tries++;
        if (hideSecretText(text, known).includes(leak)) shown.push(`${kind} of ${secret}: ${text}`);
      }
    }
    expect(tries).to.be.above(500);
    expect(shown).to.deep.equal([]);
  });
});

/** Texts that show a secret, and the part of each that must not be left. */
function familyOf(secret: string, random: () => number): [kind: string, text: string, leak: string][] {
  const around = (text: string): string[] => [
    text,
    `is ${text}`,
    `"${text}"`,
    `Password: ${text}`,
    `x\n${text}\ny`,
    `(${text})`,
  ];
  const base64 = Buffer.from(`user:${secret}`).toString('base64');
  const encodings: [string, string][] = [
    ['base64', base64],
    ['base64url', Buffer.from(`${secret}:x`).toString('base64url')],
    ['hex', Buffer.from(secret).toString('hex')],
    ['address', encodeURIComponent(secret)],
    ['form', new URLSearchParams({ q: secret }).toString().slice(2)],
    [
      'JSON',
      JSON.stringify(secret).replaceAll(/[^ -~]|&/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    ['HTML', secret.replaceAll(/[^a-z0-9 ]/gi, (one) => `&#${one.codePointAt(0)};`)],
    ['NFD', secret.normalize('NFD')],
  ];
  const family: [string, string, string][] = [];
  for (const text of around(secret)) family.push(['whole', text, secret]);
  for (const [kind, text] of encodings) for (const one of around(text)) family.push([kind, one, text]);
  const half = Math.max(3, Math.ceil(secret.length / 2));
  for (let length = Math.min(6, half); length < secret.length; length++) {
    family.push(['beginning', `${secret.slice(0, length)}…`, secret.slice(0, length)]);
    family.push(['end', `…${secret.slice(-length)}`, secret.slice(-length)]);
  }
  for (let time = 0; time < 10 && secret.length > 12; time++) {
    const from = Math.floor(random() * (secret.length - 8));
    const piece = secret.slice(from, from + 8).trim();
    if (/^[a-z]+$/.test(piece) || (secret.includes('@') && '@example.com'.includes(piece))) continue;
    family.push(['middle', `…${piece}…`, piece]);
  }
  return family;
}
