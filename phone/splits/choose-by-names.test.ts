import { expect } from 'chai';
import { traitsOf } from '../../testing/phone/traits.js';
import { NoChoice } from './choice.js';
import { chooseByNames } from './choose-by-names.js';
import { baseByNames, type NamedApk } from './one-of-each.js';
import type { PhoneTraits } from './phone-traits.js';

const apk = (split: string | undefined, more: Partial<NamedApk> = {}): NamedApk => ({
  file: `${split ?? 'base'}.apk`,
  minSdk: 21,
  ...(split !== undefined && { split }),
  ...more,
});
const chosen = (apks: readonly NamedApk[], traits: Partial<PhoneTraits> = {}): readonly string[] =>
  chooseByNames(apks, traitsOf(traits)).installed.toSorted();
const reasons = (apks: readonly NamedApk[], traits: Partial<PhoneTraits> = {}): Record<string, string> =>
  Object.fromEntries(chooseByNames(apks, traitsOf(traits)).leftOut.map(({ file, reason }) => [file, reason]));

describe('the choice of APKs by the names of splits', () => {
  it('takes the processor, the density and the languages of the phone, of each module', () => {
    const apks = ['config.x86_64', 'config.arm64_v8a', 'config.hdpi', 'config.xhdpi', 'config.en', 'config.de', 'game', 'game.config.ldpi', 'game.config.xxhdpi', 'game.config.iw'].map((split) => apk(split)); // prettier-ignore
    const all = [apk(undefined), ...apks];
    expect(chosen(all)).to.deep.equal(['base.apk', 'config.en.apk', 'config.x86_64.apk', 'config.xhdpi.apk', 'game.apk', 'game.config.xxhdpi.apk']); // prettier-ignore
    const other = { abis: ['arm64-v8a'], densityDpi: 160, languages: ['de', 'he'] };
    expect(chosen(all, other)).to.deep.equal(['base.apk', 'config.arm64_v8a.apk', 'config.de.apk', 'config.hdpi.apk', 'game.apk', 'game.config.iw.apk', 'game.config.ldpi.apk']); // prettier-ignore
    expect(reasons(all)).to.deep.equal({
      'config.arm64_v8a.apk': 'for other processors (arm64-v8a)',
      'config.hdpi.apk': 'for other screen densities (240 dpi)',
      'config.de.apk': 'for other languages (de)',
      'game.config.ldpi.apk': 'for other screen densities (120 dpi)',
      'game.config.iw.apk': 'for other languages (he)',
    });
  });

  it('takes a language with a region, and splits whose names do not tell what they are for', () => {
    const all = [undefined, 'config.zh_TW', 'config.atc', 'config.tier_1', 'constructor', 'config.constructor'].map((split) => apk(split)); // prettier-ignore
    expect(chosen(all)).to.deep.equal(['base.apk', 'config.atc.apk', 'config.constructor.apk', 'config.tier_1.apk', 'constructor.apk']); // prettier-ignore
    expect(chosen(all, { languages: ['zh'] })).to.include('config.zh_TW.apk');
  });

  it('takes the base APK and the splits with the highest API level that the phone meets', () => {
    const all = [apk(undefined), apk(undefined, { file: 'new.apk', minSdk: 29 }), apk('config.en', { minSdk: 29 }), apk('game', { minSdk: 99 })]; // prettier-ignore
    expect(chosen(all, { sdk: 28 })).to.deep.equal(['base.apk']);
    expect(chosen(all, { sdk: 29 })).to.deep.equal(['config.en.apk', 'new.apk']);
    expect(reasons(all, { sdk: 29 })).to.deep.equal({
      'base.apk': 'for other versions of Android',
      'game.apk': 'for other versions of Android',
    });
    expect(() => chosen(all, { sdk: 20 })).to.throw(NoChoice, 'from API level 21 on');
    expect(baseByNames(all)).to.equal('new.apk');
  });

  it("takes the first of bundletool's numbered APKs, which is for all versions, and refuses others of one split", () => {
    const numbered = (name: string, split?: string): NamedApk[] =>
      ['_2', '', '_3'].map((number) => apk(split, { file: `splits/base-${name}${number}.apk` }));
    const all = [...numbered('master'), ...numbered('x86_64', 'config.x86_64')];
    expect(chosen(all)).to.deep.equal(['splits/base-master.apk', 'splits/base-x86_64.apk']);
    const bases = [apk(undefined), apk(undefined, { file: 'other.apk' })];
    expect(() => chosen(bases)).to.throw(NoChoice, 'more than one base APK');
    expect(() => baseByNames(bases)).to.throw(NoChoice, 'more than one base APK');
    expect(() => chosen([apk(undefined), apk('game'), apk('game', { file: 'x.apk' })])).to.throw(
      'two APKs of one split',
    );
  });

  it('leaves out a module on demand, with its splits', () => {
    const all = [apk(undefined), apk('game', { delivery: 'on-demand' }), apk('game.config.en'), apk('pack', { delivery: 'fast-follow' })]; // prettier-ignore
    expect(chosen(all)).to.deep.equal(['base.apk']);
    expect(reasons(all)['game.config.en.apk']).to.equal('the module game is installed on demand, not with the app');
  });

  it('refuses native code for other processors alone', () => {
    const all = [apk(undefined), apk('config.armeabi_v7a')];
    expect(() => chosen(all)).to.throw(NoChoice, "for armeabi-v7a, and the phone's processors are x86_64");
  });
});
