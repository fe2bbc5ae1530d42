import { expect } from 'chai';
import { parseFlags } from './flags.js';

describe('flags of a phone alone', () => {
  it('has a default for all but the port and the folder', () => {
    expect(parseFlags(['--port', '5600', '--data', 'phone'])).to.deep.equal({
      host: '127.0.0.1',
      port: 5600,
      data: 'phone',
      model: undefined,
      captureDelayMs: 0,
      treeDelayMs: 0,
      sourceDelayMs: 0,
      inContainer: false,
      keysFile: undefined,
      apps: undefined,
    });
  });

  it('takes every flag, with a blank or an equals sign', () => {
    const words = [
      '--port=0',
      '--data',
      'd',
      '--model',
      'phone-1080p',
      '--host',
      '0.0.0.0',
      '--auth',
      'keys',
      '--container',
      '--apps=my-apps',
    ];
    expect(parseFlags([...words, '--delay-capture-ms', '120', '--delay-tree-ms=1500'])).to.deep.equal({
      host: '0.0.0.0',
      port: 0,
      data: 'd',
      model: 'phone-1080p',
      captureDelayMs: 120,
      treeDelayMs: 1500,
      sourceDelayMs: 80,
      inContainer: true,
      keysFile: 'keys',
      apps: 'my-apps',
    });
  });

  it('takes the time of a source for itself', () => {
    const words = ['--port=0', '--data', 'd', '--delay-tree-ms', '1500', '--delay-source-ms', '0'];
    expect(parseFlags(words)).to.include({ treeDelayMs: 1500, sourceDelayMs: 0 });
  });

  it('returns nothing for help', () => {
    expect(parseFlags(['--help'])).to.equal(undefined);
  });

  for (const [words, line] of [
    [['--data', 'd'], '--port is missing. See --help.'],
    [['--port', '1'], '--data is missing. See --help.'],
    [['--port', '70000', '--data', 'd'], '--port "70000" is not a whole number from 0 to 65535.'],
    [['--port', '1', '--data', 'd', '--delay-tree-ms', 'x'], '--delay-tree-ms "x" is not a whole number'],
    [
      ['--port', '1', '--data', 'd', '--model', 'pixel'],
      '--model "pixel" is unknown. There are: phone-720p, phone-1080p.',
    ],
    [['--port', '1', '--data', 'd', '--color', 'red'], "Unknown option '--color'. See --help."],
    [['--port', '1', '--data', 'd', 'more'], "Unexpected argument 'more'. See --help."],
    [['--port'], "Option '--port <value>' argument missing. See --help."],
  ] as const)
    it(`refuses ${words.join(' ')} in one line`, () => {
      expect(() => parseFlags(words)).to.throw(line);
      expect(() => parseFlags(words)).not.to.throw('\n');
    });
});
