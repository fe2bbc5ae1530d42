import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { QUESTIONS } from '../../testing/search-questions.js';
import { createSite } from '../site/site.js';
import { wholeDocument } from '../document/whole-document.js';
import { find, type Found, INDEX_OPTIONS, type Indexed } from './ranking.js';

/** How many of the held questions have the right result first, at least. */
const MIN_RIGHT = 38;

/** Most bytes of the index as it is sent: readers load it when they begin to search. */
const MAX_INDEX_BYTES = 224 * 1024;

describe('the search of the documentation', function () {
  this.timeout(60_000);
  let json: string;
  let index: MiniSearch<Indexed>;
  before(() => {
    json = createSite(wholeDocument().document, '/docs/assets/').index();
    index = MiniSearch.loadJSON<Indexed>(json, INDEX_OPTIONS);
  });

  const first = (question: string): Found | undefined => find(index, question)[0];

  it('has the right result first for 38 of 40 questions', () => {
    expect(QUESTIONS).to.have.length(40);
    const wrong = QUESTIONS.filter(([typed, right]) => !isRight(first(typed)?.address ?? '', right));
    const shown = wrong.map(([typed]) => `${typed}: ${first(typed)?.address ?? 'nothing'}`);
    expect(shown.length, shown.join('; ')).to.be.at.most(QUESTIONS.length - MIN_RIGHT);
  });

  it('has each right place of the questions, so that none of them is old', () => {
    const site = createSite(wholeDocument().document, '/docs/assets/');
    const pages = [...site.pages.keys()];
    // A question may name a page that is planned beside one that is there.
    for (const [typed, right] of QUESTIONS) {
      expect(
        right.some((place) => pages.includes(place.split('#')[0] ?? '')),
        typed,
      ).to.equal(true);
    }
  });

  it(`is at most ${MAX_INDEX_BYTES / 1024} KiB as it is sent`, () => {
    expect(gzipSync(json).length).to.be.at.most(MAX_INDEX_BYTES);
  });

  it('finds while a word is being typed, also of a name', () => {
    expect(first('screensh')?.title).to.equal('Get screenshot');
    expect(first('idle_st')).to.include({ kind: 'field', title: 'idle_stop_s' });
    expect(first('getScreenshot')?.title).to.equal('Get screenshot');
    expect(first('POST /v1/devices')?.title).to.equal('Create device');
  });

  it('finds words that are misspelt, only where there is nothing else', () => {
    expect(first('webhok')?.title).to.match(/webhook/i);
    for (const { terms } of find(index, 'webhook')) {
      expect(terms.some((term) => term.startsWith('webhook'))).to.equal(true, terms.join());
    }
    expect(first('xqzvw')).to.equal(undefined);
    expect(find(index, '')).to.deep.equal([]);
    expect(find(index, ' ?! ')).to.deep.equal([]);
  });

  it('shows what a result is, what it belongs to, and an excerpt', () => {
    expect(first('rate_limited')).to.include({ kind: 'error', about: 'Errors and limits' });
    expect(first('MONGODB_URL')).to.include({ kind: 'setting', title: 'MONGODB_URL' });
    expect(first('MONGODB_URL')?.excerpt).to.match(/MongoDB/);
    expect(first('repeating a request')).to.include({ kind: 'section', title: 'Repeating a request' });
    expect(first('upload apk')).to.include({ kind: 'operation', about: 'POST /v1/devices/{name}/apk' });
    for (const { excerpt } of find(index, 'phone')) expect(excerpt.length).to.be.at.most(162);
  });

  it('puts what readers use before what is written for those who change the service', () => {
    for (const question of ['relay', 'adb', 'device', 'share', 'group', 'timeline', 'observe']) {
      const kinds = find(index, question).map(({ kind }) => kind);
      expect(kinds[0], question).not.to.equal('inside');
    }
    expect(find(index, 'forms of refusal')[0]).to.include({ kind: 'inside', about: 'The ADB relay' });
  });
});

/** Whether an address is one of the places: a page with all that is on it, or a part of a page with what is inside of it. */
function isRight(address: string, right: readonly string[]): boolean {
  return right.some((place) =>
    place.endsWith('/') ? address.split('#')[0] === place : address === place || address.startsWith(`${place}.`),
  );
}
