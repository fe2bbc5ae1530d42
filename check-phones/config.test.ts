import { expect } from 'chai';
import { readCheckConfig } from './config.js';

describe('options of check-phones', () => {
  it('have a default for all but the model', () => {
    expect(readCheckConfig(['--model', 'm'], {})).to.deep.equal({
      model: 'm',
      android: undefined,
      service: undefined,
      allow: '127.0.0.1',
      address: '127.0.0.1',
      killCommand: undefined,
      leftoversCommand: undefined,
      usageCommand: undefined,
      aboutCommand: undefined,
      rounds: 20,
      bootLimitS: 120,
      fileMib: 64,
      json: false,
    });
  });

  it('take a running service from themselves, else from the environment', () => {
    const environment = { CLOUDPHONE_URL: 'http://a/v1', CLOUDPHONE_KEY: 'key_a' };
    const given = readCheckConfig(['--model', 'm', '--base-url', 'http://b/v1'], environment);
    expect(given?.service).to.deep.equal({ url: 'http://b/v1', key: 'key_a' });
    expect(readCheckConfig(['--model', 'm'], environment)?.service?.url).to.equal('http://a/v1');
  });

  it('return nothing for help', () => expect(readCheckConfig(['--help'], {})).to.equal(undefined));

  for (const [words, line] of [
    [[], '--model is missing'],
    [['--model', 'm', '--base-url', 'http://a/v1'], '--key is missing'],
    [['--model', 'm', '--rounds', '0'], '--rounds "0" is not a whole number from 1 to 1000'],
    [['--model', 'm', '--colour'], "Unknown option '--colour'"],
  ] as const) {
    it(`refuse ${words.join(' ') || 'nothing'}`, () => {
      expect(() => readCheckConfig(words, {})).to.throw(line);
    });
  }
});
