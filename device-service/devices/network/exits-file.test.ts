import { expect } from 'chai';
import { parseExitsFile } from './exits-file.js';

describe('EXITS_FILE', () => {
  const berlin = { country: 'de', timezones: ['Europe/Berlin'] };
  const mobile = { name: 'a', type: 'mobile', ...berlin, proxy: 'socks5://u-{session}:secret@gate.example:1080' };
  const parse = (...exits: unknown[]) => parseExitsFile(JSON.stringify({ exits }));
  const faultsOf = (...exits: unknown[]): readonly string[] => parse(...exits).faults;

  it('lists exits with proxies, with ways to rotate, and of the host itself', () => {
    const exits = [
      { ...mobile, rotate: 'session' },
      { ...mobile, name: 'b', rotate: { url: 'http://192.168.8.1/reconnect' } },
      { ...mobile, name: 'c', type: 'residential', timezones: ['Europe/Berlin', 'Europe/Busingen'] },
      { ...mobile, name: 'd', type: 'datacenter', proxy: 'https://gate.example:443' },
      { name: 'e', type: 'direct', ...berlin },
    ];
    expect(parse(...exits)).to.deep.equal({ value: exits, faults: [] });
  });

  it('may list several exits of one type and country', () => {
    const pool = [mobile, { ...mobile, name: 'b' }];
    expect(parse(...pool)).to.deep.equal({ value: pool, faults: [] });
  });

  for (const [entry, fault] of [
    ['text', 'exits[0] is not an object'],
    [{ ...mobile, name: 'Two words' }, 'exits[0].name is not a word of 1 to 63 of a-z 0-9 . _ -'],
    [{ ...mobile, type: 'custom' }, 'exits[0].type is not one of mobile, residential, datacenter, direct'],
    [{ ...mobile, country: 'DE' }, 'exits[0].country is not two lower-case letters (ISO 3166-1), such as de'],
    [{ ...mobile, timezones: [] }, 'exits[0].timezones is not a list of IANA time zones, such as ["Europe/Berlin"]'],
    [{ ...mobile, timezones: ['Mars/Base'] }, 'exits[0].timezones[0] is not an IANA time zone'],
    [{ ...mobile, proxy: undefined }, 'exits[0].proxy is missing: only type direct has none'],
    [
      { ...mobile, proxy: 'ftp://u:secret@host:1' },
      'exits[0].proxy has the scheme "ftp"; allowed are http, https, socks5',
    ],
    [{ ...mobile, proxy: 'http://u:secret@host' }, 'exits[0].proxy has no port: write it, as in host:1080'],
    [
      { name: 'e', type: 'direct', ...berlin, proxy: 'http://u:secret@host:1' },
      "exits[0].proxy is of no use with type direct, which is the host's own connection",
    ],
    [{ ...mobile, rotate: 'often' }, 'exits[0].rotate is neither "session" nor {"url": "..."}'],
    [
      { ...mobile, proxy: 'http://u:secret@host:1', rotate: 'session' },
      'exits[0].rotate is "session", but the login in proxy has no {session}',
    ],
    [
      { name: 'e', type: 'direct', ...berlin, rotate: 'session' },
      'exits[0].rotate is "session", but type direct has no proxy with a login',
    ],
    [{ ...mobile, rotate: { url: 'ftp://host/' } }, 'exits[0].rotate.url is not an http or https URL'],
    [
      { ...mobile, rotate: { url: 'http://host/', method: 'POST' } },
      'exits[0].rotate.method is not a field; there is only url',
    ],
    [
      { ...mobile, password: 'secret' },
      'exits[0].password is not a field; there are name, type, country, timezones, proxy, rotate',
    ],
  ] as const) {
    it(`is refused: ${fault}`, () => {
      expect(faultsOf(entry)).to.deep.equal([fault]);
    });
  }

  it('names all of its faults, those of different exits too, and repeats no password', () => {
    const faults = faultsOf(
      { ...mobile, country: 'x' },
      { ...mobile, name: 'b', proxy: 'http://u:secret%zz@host:1' },
      mobile,
      mobile,
    );
    expect(faults).to.deep.equal([
      'exits[0].country is not two lower-case letters (ISO 3166-1), such as de',
      'exits[1].proxy has a user name or password with a % that begins no escape: write % as %25',
      'exits[3].name "a" is listed twice',
    ]);
  });

  for (const [text, fault] of [
    ['', 'it is not JSON'],
    ['{"exits": [{"proxy": "http://u:secret@host:1" oops}]}', 'it is not JSON: there is a fault at position 46'],
    ['[]', 'it is not {"exits": [...]}'],
    ['{"exits": {}}', 'it is not {"exits": [...]}'],
    ['{"exits": []}', 'exits is empty: list at least one'],
  ] as const) {
    it(`is refused: ${text === '' ? 'an empty file' : text}`, () => {
      expect(parseExitsFile(text).faults).to.deep.equal([fault]);
    });
  }

  it('may have no other fields', () => {
    expect(parseExitsFile(JSON.stringify({ exits: [mobile], version: 2 })).faults).to.deep.equal([
      'version is not a field; there is only exits',
    ]);
  });
});
