import { expect } from 'chai';
import { applyChanges } from './element-lines.js';

const BEFORE = [
  'e1 text "Settings" @120,80',
  'e7 switch "Auto-rotate screen" @360,497 checked',
  'e8 text "see @12,34 checked" @360,600',
  'e9 list #rows @360,900 scrollable',
].join('\n');

describe('the lines of a difference', () => {
  it('replace, move, add and remove elements', () => {
    const changes = [
      'e7 switch "Auto-rotate screen" @360,497',
      'e8 @360,640',
      'e12 button "OK" @360,1180',
      'gone e1 e9',
    ].join('\n');
    expect(applyChanges(BEFORE, changes).split('\n')).to.deep.equal([
      'e7 switch "Auto-rotate screen" @360,497',
      'e8 text "see @12,34 checked" @360,640',
      'e12 button "OK" @360,1180',
    ]);
  });

  it('keep the states of an element that moved', () => {
    expect(applyChanges(BEFORE, 'e9 @1,2').split('\n').at(-1)).to.equal('e9 list #rows @1,2 scrollable');
  });

  it('change nothing when there are none', () => {
    expect(applyChanges(BEFORE, '')).to.equal(BEFORE);
    expect(applyChanges('', '')).to.equal('');
  });
});
