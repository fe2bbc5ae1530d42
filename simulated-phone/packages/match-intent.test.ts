import { expect } from 'chai';
import type { IntentFilter } from '../../phone/apk/app-activities.js';
import { matchesIntent } from './match-intent.js';

const VIEW = 'android.intent.action.VIEW';

function filter(parts: Partial<IntentFilter>): IntentFilter {
  return {
    actions: [VIEW],
    categories: ['android.intent.category.DEFAULT'],
    autoVerify: false,
    schemes: [],
    hosts: [],
    paths: [],
    mimeTypes: [],
    ...parts,
  };
}

const host = (name: string, port = ''): IntentFilter['hosts'] => [{ host: name, port }];
const web = (parts: Partial<IntentFilter>): Partial<IntentFilter> => ({ schemes: ['https'], ...parts });

/** The parts of a filter, the addresses that it takes, and those that it does not take. */
const TABLE: [parts: Partial<IntentFilter>, taken: string[], refused: string[]][] = [
  [{ schemes: ['app', 'geo'] }, ['app://x?a=b&c=d%20e#h', 'app:x', 'geo:52.5,13.4?q=a'], ['App:x', 'apps:x', 'x']],
  [web({ hosts: host('a.example') }), ['https://a.example', 'https://A.example:8443/x', 'https://u@a.example/?q'], ['https://b.a.example/', 'http://a.example/', 'https:a.example']], // prettier-ignore
  [web({ hosts: host('*.example') }), ['https://a.example/', 'https://b.a.example'], ['https://example/', 'https://a.example.org/']], // prettier-ignore
  [web({ hosts: host('a.example', '81') }), ['https://a.example:81/'], ['https://a.example/', 'https://a.example:8/']],
  [web({ hosts: host('*') }), ['https://any.where/'], ['mailto:a@b']],
  [web({ hosts: host('a'), paths: [{ kind: 'literal', text: '/x' }] }), ['https://a/x', 'https://a/x?y#z'], ['https://a/x/', 'https://a']], // prettier-ignore
  [web({ hosts: host('a'), paths: [{ kind: 'prefix', text: '/x/' }] }), ['https://a/x/y'], ['https://a/xy']],
  [web({ hosts: host('a'), paths: [{ kind: 'suffix', text: '.pdf' }] }), ['https://a/x.pdf'], ['https://a/x.pdf2']],
  [
    web({ hosts: host('a'), paths: [{ kind: 'pattern', text: '/.*\\.pd+' }] }),
    ['https://a/x/y.pd+'],
    ['https://a/x/ypd'],
  ],
  [
    web({ hosts: host('a'), paths: [{ kind: 'pattern', text: '/a*b' }] }),
    ['https://a/aaab', 'https://a/b'],
    ['https://a/c'],
  ],
  [
    web({ hosts: host('a'), paths: [{ kind: 'advanced', text: '/[0-9]{2}x+' }] }),
    ['https://a/12xx'],
    ['https://a/1xx'],
  ],
  // A path counts only with a host.
  [web({ paths: [{ kind: 'literal', text: '/x' }] }), ['https://a/y'], []],
];

describe('intents and filters', () => {
  for (const [parts, taken, refused] of TABLE)
    it(`matches ${JSON.stringify(parts)}`, () => {
      const matches = (data: string): boolean => matchesIntent(filter(parts), { action: VIEW, data });
      expect(taken.filter((data) => !matches(data))).to.deep.equal([]);
      expect(refused.filter(matches)).to.deep.equal([]);
    });

  it('asks for the action, and for all categories with that of activities without a name', () => {
    const own = filter({ schemes: ['app'], categories: ['android.intent.category.DEFAULT', 'c.X'] });
    const intent = { action: VIEW, data: 'app:x' };
    expect(matchesIntent(own, { ...intent, categories: ['c.X'] })).to.equal(true);
    expect(matchesIntent(own, { ...intent, categories: ['c.Y'] })).to.equal(false);
    expect(matchesIntent(own, { ...intent, action: 'c.SEND' })).to.equal(false);
    expect(matchesIntent({ ...own, categories: ['c.X'] }, intent)).to.equal(false);
  });

  it('matches types, alone and with content', () => {
    const images = filter({ mimeTypes: ['image/*'] });
    expect(matchesIntent(images, { action: VIEW, type: 'image/png' })).to.equal(true);
    expect(matchesIntent(images, { action: VIEW, type: 'image/png', data: 'content://x/1' })).to.equal(true);
    expect(matchesIntent(images, { action: VIEW, type: 'image/png', data: 'https://x/1' })).to.equal(false);
    expect(matchesIntent(images, { action: VIEW, type: 'text/plain' })).to.equal(false);
    expect(matchesIntent(images, { action: VIEW, data: 'content://x/1' })).to.equal(false);
    expect(matchesIntent(filter({}), { action: VIEW })).to.equal(true);
    expect(matchesIntent(filter({}), { action: VIEW, data: 'app:x' })).to.equal(false);
  });

  it('takes linear time for the pattern of an app, and matches nothing with a bad one', () => {
    const slow = filter(web({ hosts: host('a'), paths: [{ kind: 'pattern', text: `/${'a*'.repeat(30)}b` }] }));
    expect(matchesIntent(slow, { action: VIEW, data: `https://a/${'a'.repeat(10_000)}` })).to.equal(false);
    const bad = filter(web({ hosts: host('a'), paths: [{ kind: 'advanced', text: '/[z-a]' }] }));
    expect(matchesIntent(bad, { action: VIEW, data: 'https://a/b' })).to.equal(false);
  });
});
