import { expect } from 'chai';
import { firstView, isWrongPress, nextView, tokensOf } from './view.js';

describe('the view of an episode', () => {
  const first = firstView({ id: 'o1', app: 'com.x', elements_text: 'e1 button "A" @1,2\ne2 text "B" @3,4' });

  it('keeps lines that a difference does not name', () => {
    const next = nextView(first, { id: 'o2', app: 'com.x', elements_text: 'gone e2', changed_since: 'o1' });
    expect(next?.text).to.equal('e1 button "A" @1,2');
    expect(next?.changed).to.equal('gone e2');
  });

  it('has no use for a difference from an observation that it has not seen', () => {
    expect(nextView(first, { id: 'o3', elements_text: 'gone e1', changed_since: 'o9' })).to.equal(undefined);
    expect(nextView(first, undefined)).to.equal(undefined);
  });

  it('counts a press that hit nothing or changed nothing as wrong, and nothing else', () => {
    expect(isWrongPress({ tap: {} }, { screen: 'changed' })).to.equal(false);
    expect(isWrongPress({ tap: {} }, { screen: 'unchanged' })).to.equal(true);
    expect(isWrongPress({ long_press: {} }, undefined)).to.equal(true);
    expect(isWrongPress({ tap: {} }, { failed: {} })).to.equal(true);
    expect(isWrongPress({ type: {} }, { screen: 'unchanged' })).to.equal(false);
  });

  it('estimates tokens by four letters, and one of other scripts', () => {
    expect([tokensOf(''), tokensOf('abcd'), tokensOf('abcde'), tokensOf('麻婆豆腐')]).to.deep.equal([0, 1, 2, 4]);
  });
});
