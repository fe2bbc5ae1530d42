import { expect } from 'chai';
import { startPhone } from '../../testing/phone/start-phone.js';
import { systemClock } from '../../kit/async/clock.js';
import { connect } from 'node:net';
import { PhoneLink } from '../link/phone-link.js';
import { readTraits, traitsIn } from './read-traits.js';

const OUTPUT = `sdk=34
codename=REL
abis=x86_64,arm64-v8a
Physical density: 420
Override density: 320
locales=null
locale=de-DE
first=en-US
feature:reqGlEsVersion=0x30002
feature:android.hardware.camera
`;

describe('the traits of a phone', () => {
  it('are read from its properties and settings', () => {
    expect(traitsIn(OUTPUT)).to.deep.equal({
      sdk: 34,
      isPreview: false,
      abis: ['x86_64', 'arm64-v8a'],
      densityDpi: 320,
      languages: ['de'],
      features: ['reqGlEsVersion=0x30002', 'android.hardware.camera'],
      glEsVersion: 0x30002,
    });
  });

  it('have the languages of the setting, else of the property, else the first one', () => {
    const languagesOf = (change: (text: string) => string): readonly string[] => traitsIn(change(OUTPUT)).languages;
    expect(languagesOf((text) => text.replace('null', 'fr-CA,iw-IL,fr-FR'))).to.deep.equal(['fr', 'he']);
    expect(languagesOf((text) => text.replace('locale=de-DE', 'locale='))).to.deep.equal(['en']);
    expect(languagesOf((text) => text.replace(/locales=.*|locale=.*|first=.*/g, ''))).to.deep.equal(['en']);
  });

  it('know a preview of Android, and a phone with little to say', () => {
    expect(traitsIn(OUTPUT.replace('REL', 'Baklava')).isPreview).to.equal(true);
    const silent = traitsIn(OUTPUT.replace(/feature:.*\n/g, '').replace('Override density: 320\n', ''));
    expect(silent).to.deep.include({ densityDpi: 420, features: [], glEsVersion: 0 });
    expect(traitsIn(OUTPUT.replace('0x30002', '196608')).glEsVersion).to.equal(0x30000);
    expect(traitsIn(OUTPUT.replace('0x30002', 'f00')).glEsVersion).to.equal(0);
  });

  it('are refused when one is missing by which APKs are chosen', () => {
    for (const [line, name] of [
      ['sdk=34', 'API level'],
      ['abis=x86_64,arm64-v8a', 'processors'],
    ] as const)
      // prettier-ignore
      expect(() => traitsIn(OUTPUT.replace(line, ''))).to.throw(`The phone does not report its ${name}`);
    expect(() => traitsIn(OUTPUT.replaceAll(/density: \d+/g, 'density: none'))).to.throw('screen density');
  });

  it('are bounded, whatever a phone prints', () => {
    const many = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join(','); // prettier-ignore
    const hostile = OUTPUT.replace(
      'null',
      many(1_000, (at) => `l${at}`),
    )
      .replace('x86_64,', `${many(200, (at) => `abi${at}`)},`)
      .concat(many(10_000, (at) => `feature:f${at}`).replaceAll(',', '\n'));
    const { languages, abis, features } = traitsIn(hostile);
    expect([languages.length, abis.length, features.length]).to.deep.equal([100, 20, 1_000]);
  });

  it('are read from a phone that runs', async () => {
    const { port, stop } = await startPhone();
    const options = { host: '127.0.0.1', port, clock: systemClock, timeoutMs: 5_000 };
    const link = await PhoneLink.open({ ...options, connectSocket: (host, to) => connect({ host, port: to }) });
    try {
      const traits = await readTraits(link, { timeoutMs: 5_000 });
      expect(traits).to.deep.include({ sdk: 34, isPreview: false, densityDpi: 320, languages: ['en'] });
      expect(traits.abis[0]).to.equal('x86_64');
      expect(traits.features).to.include('android.hardware.touchscreen');
      expect(traits.glEsVersion).to.equal(0x30000);
      await link.shell('setprop persist.sys.locale de-DE; wm density 480', { timeoutMs: 5_000, maxBytes: 1_024, doing: 'change' }); // prettier-ignore
      expect(await readTraits(link, { timeoutMs: 5_000 })).to.deep.include({ densityDpi: 480, languages: ['de'] });
    } finally {
      link.close();
      await stop();
    }
  });
});
