import { expect } from 'chai';
import { termOf, termsOf, wordsOf } from './terms.js';

describe('the terms of the search', () => {
  it('are the same for the forms of a word', () => {
    for (const forms of [
      ['file', 'files', 'File'],
      ['install', 'installs', 'installed', 'installing'],
      ['create', 'creates', 'created', 'creating'],
      ['stop', 'stopped', 'stopping'],
      ['copy', 'copies'],
      ['locate', 'location', 'locations'],
      ['press', 'presses', 'pressed'],
      ['address', 'addresses'],
    ]) {
      expect(new Set(forms.map(termOf)), forms.join()).to.have.length(1);
    }
  });

  it('differ for words that are not the same', () => {
    for (const [one, other] of [
      ['status', 'stat'],
      ['string', 'str'],
      ['used', 'us'],
      ['need', 'ne'],
    ] as const) {
      expect(termOf(one), one).not.to.equal(termOf(other));
    }
  });

  it('of a name are those of its parts too', () => {
    expect(termsOf('idle_stop_s')).to.include.members(['idle_stop_s', 'stop', 's']);
    expect(termsOf('getScreenshot')).to.include.members(['getscreenshot', 'get', 'screenshot']);
    expect(termsOf('the')).to.deep.equal([]);
  });

  it('begin with the words that stand in a text', () => {
    expect(wordsOf('GET /v1/devices/{name}?wait_s=60, größer')).to.deep.equal([
      ...['GET', 'v1', 'devices', 'name', 'wait_s', '60', 'größer'],
    ]);
  });
});
