import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import {
  AbiName,
  Delivery,
  DensityName,
  TextureName,
  type Toc,
  TocSchema,
} from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { master, oneForEach, tocOf } from '../../testing/phone/toc-builder.js';
import { traitsOf } from '../../testing/phone/traits.js';
import { NoChoice } from './choice.js';
import { baseByToc, chooseByToc } from './choose-by-toc.js';
import type { PhoneTraits } from './phone-traits.js';

const abis = oneForEach(
  'abi',
  new Map([
    [AbiName.ARM64_V8A, 'arm64.apk'],
    [AbiName.X86_64, 'x86_64.apk'],
  ]),
  (name) => ({ name }),
);
const densities = oneForEach(
  'density',
  new Map([
    [DensityName.MDPI, 'mdpi.apk'],
    [DensityName.HDPI, 'hdpi.apk'],
    [DensityName.XXHDPI, 'xxhdpi.apk'],
  ]),
  (name) => ({ name }),
);
const languages = ['en', 'de', 'iw'].map((code) => ({
  path: `${code}.apk`,
  targeting: { language: { values: [code] } },
}));
const base = { apks: [master('base.apk')] };

const chosen = (toc: Toc, traits: Partial<PhoneTraits> = {}): readonly string[] =>
  chooseByToc(toc, traitsOf(traits)).installed.toSorted();
const reasons = (toc: Toc, traits: Partial<PhoneTraits> = {}): Record<string, string> =>
  Object.fromEntries(chooseByToc(toc, traitsOf(traits)).leftOut.map(({ file, reason }) => [file, reason]));
const refusal = (toc: Toc, traits: Partial<PhoneTraits> = {}): NoChoice => {
  try {
    chooseByToc(toc, traitsOf(traits));
  } catch (error) {
    if (error instanceof NoChoice) return error;
    throw error;
  }
  throw new Error('there is a choice');
};

describe('the choice of APKs by toc.pb', () => {
  it('takes the variant with the highest API level that the phone meets', () => {
    const toc = tocOf({ 21: { base: { apks: [master('21.apk')] } }, 23: { base: { apks: [master('23.apk')] } }, 29: { base: { apks: [master('29.apk')] } } }); // prettier-ignore
    expect(chosen(toc, { sdk: 21 })).to.deep.equal(['21.apk']);
    expect(chosen(toc, { sdk: 28 })).to.deep.equal(['23.apk']);
    expect(chosen(toc, { sdk: 29 })).to.deep.equal(['29.apk']);
    expect(reasons(toc, { sdk: 28 })).to.deep.equal({
      '21.apk': 'for other versions of Android',
      '29.apk': 'for other versions of Android',
    });
    expect(refusal(toc, { sdk: 20 })).to.include({
      code: 'INSTALL_FAILED_OLDER_SDK',
      message: 'it is for Android from API level 21 on, and the phone has API level 20',
    });
  });

  it('takes the variant for a preview of Android on a preview alone', () => {
    const toc = tocOf({ 21: { base: { apks: [master('21.apk')] } }, 10_000: { base: { apks: [master('next.apk')] } } });
    expect(chosen(toc, { sdk: 34, isPreview: true })).to.deep.equal(['next.apk']);
    expect(chosen(toc, { sdk: 34 })).to.deep.equal(['21.apk']);
  });

  it('takes the processor that the phone likes best, and refuses native code that it cannot run', () => {
    const toc = tocOf({ 21: { base: { apks: [master('base.apk'), ...abis] } } });
    expect(chosen(toc, { abis: ['x86_64', 'arm64-v8a'] })).to.deep.equal(['base.apk', 'x86_64.apk']);
    expect(chosen(toc, { abis: ['arm64-v8a', 'armeabi-v7a'] })).to.deep.equal(['arm64.apk', 'base.apk']);
    expect(reasons(toc)).to.deep.equal({ 'arm64.apk': 'for other processors (arm64-v8a)' });
    expect(refusal(toc, { abis: ['x86', 'armeabi-v7a'] })).to.include({
      code: 'INSTALL_FAILED_NO_MATCHING_ABIS',
      message: "its native code is for arm64-v8a, x86_64, and the phone's processors are x86, armeabi-v7a",
    });
  });

  it('takes the density that Android would take', () => {
    const toc = tocOf({ 21: { base: { apks: [master('base.apk'), ...densities] } } });
    const densityOf = (densityDpi: number): string | undefined => chosen(toc, { densityDpi }).find((one) => one !== 'base.apk'); // prettier-ignore
    // Android takes the pictures of 240 dpi up to 296 dpi alone, as it is better to make those of 480 dpi smaller.
    const best: [number, string][] = [[120, 'mdpi.apk'], [160, 'mdpi.apk'], [213, 'hdpi.apk'], [296, 'hdpi.apk'], [297, 'xxhdpi.apk'], [480, 'xxhdpi.apk'], [640, 'xxhdpi.apk']]; // prettier-ignore
    for (const [dpi, file] of best) expect(densityOf(dpi), String(dpi)).to.equal(file);
    expect(reasons(toc, { densityDpi: 480 })).to.deep.equal({
      'mdpi.apk': 'for other screen densities (160 dpi)',
      'hdpi.apk': 'for other screen densities (240 dpi)',
    });
  });

  it('takes the languages of the phone, by old and new codes, and one for all others', () => {
    const rest = { path: 'rest.apk', targeting: { language: { alternatives: ['en', 'de', 'iw'] } } };
    const toc = tocOf({ 21: { base: { apks: [master('base.apk'), ...languages, rest] } } });
    expect(chosen(toc, { languages: ['en', 'de'] })).to.deep.equal(['base.apk', 'de.apk', 'en.apk']);
    expect(chosen(toc, { languages: ['he'] })).to.deep.equal(['base.apk', 'iw.apk']);
    expect(chosen(toc, { languages: ['de', 'fr'] })).to.deep.equal(['base.apk', 'de.apk', 'rest.apk']);
    expect(reasons(toc)['de.apk']).to.equal('for other languages (de)');
  });

  it('takes the best format of textures that the OpenGL ES of the phone must have', () => {
    const textures = oneForEach(
      'texture',
      new Map([[TextureName.ASTC, 'astc.apk'], [TextureName.ETC2, 'etc2.apk']]), // prettier-ignore
      (name) => ({ name }),
    );
    const rest = { path: 'rest.apk', targeting: { texture: { alternatives: [{ name: TextureName.ASTC }, { name: TextureName.ETC2 }] } } }; // prettier-ignore
    const toc = tocOf({ 21: { base: { apks: [master('base.apk'), ...textures, rest] } } });
    expect(chosen(toc, { glEsVersion: 0x30002 })).to.deep.equal(['astc.apk', 'base.apk']);
    expect(chosen(toc, { glEsVersion: 0x30000 })).to.deep.equal(['base.apk', 'etc2.apk']);
    expect(chosen(toc, { glEsVersion: 0x20000 })).to.deep.equal(['base.apk', 'rest.apk']);
  });

  it('takes the modules that are installed with the app, those that they need, and no other', () => {
    const onDemand = { delivery: Delivery.ON_DEMAND };
    const toc = tocOf({
      21: {
        base,
        shop: { apks: [master('shop.apk')], metadata: { dependencies: ['pay', 'base'] } },
        pay: { apks: [master('pay.apk'), ...densities], metadata: onDemand },
        game: { apks: [master('game.apk'), ...abis], metadata: onDemand },
      },
    });
    expect(chosen(toc)).to.deep.equal(['base.apk', 'pay.apk', 'shop.apk', 'xxhdpi.apk']);
    // Native code of a module that is not installed does not matter.
    expect(chosen(toc, { abis: ['mips'] })).to.include('base.apk');
    expect(reasons(toc)['game.apk']).to.equal('the module game is installed on demand, not with the app');
    const older = tocOf({ 21: { base: { ...base, metadata: { delivery: Delivery.UNSPECIFIED } }, game: { apks: [master('game.apk')], metadata: { delivery: Delivery.UNSPECIFIED, onDemand: true } } } }); // prettier-ignore
    expect(chosen(older)).to.deep.equal(['base.apk']);
  });

  it('takes modules with conditions on the phones that meet them', () => {
    const features = [{ feature: { name: 'android.hardware.camera.ar' } }];
    const gl = [{ feature: { name: 'android.hardware.opengles.version', version: 0x30002 } }];
    const toc = tocOf({
      21: {
        base,
        ar: { apks: [master('ar.apk')], metadata: { targeting: { features } } },
        gl: { apks: [master('gl.apk')], metadata: { targeting: { features: gl } } },
        late: { apks: [master('late.apk')], metadata: { targeting: { sdk: { values: [{ min: 30 }] } } } },
      },
    });
    expect(chosen(toc, { sdk: 29 })).to.deep.equal(['base.apk']);
    expect(reasons(toc, { sdk: 29 })).to.deep.equal({
      'ar.apk': 'the module ar is for phones with android.hardware.camera.ar',
      'gl.apk': 'the module gl is for phones with android.hardware.opengles.version',
      'late.apk': 'the module late is for Android from API level 30 on',
    });
    const able = { sdk: 30, features: ['android.hardware.camera.ar'], glEsVersion: 0x30002 };
    expect(chosen(toc, able)).to.deep.equal(['ar.apk', 'base.apk', 'gl.apk', 'late.apk']);
  });

  it('takes packs of assets that are installed with the app', () => {
    const pack = (name: string, delivery: Delivery) => ({
      metadata: { name, delivery },
      apks: [master(`${name}.apk`)],
    });
    const { variants } = tocOf({ 21: { base } });
    const assetPacks = [pack('first', Delivery.INSTALL_TIME), pack('later', Delivery.FAST_FOLLOW)];
    const toc = create(TocSchema, { variants, assetPacks });
    expect(chosen(toc)).to.deep.equal(['base.apk', 'first.apk']);
    expect(reasons(toc)['later.apk']).to.equal(
      'the pack of assets later is installed on demand or later, not with the app',
    );
  });

  it('takes one APK for all phones, and one for old phones on these alone', () => {
    const whole = (path: string, min: number) => ({
      targeting: { sdk: { values: [{ min }] } },
      modules: [{ metadata: { name: 'base', delivery: Delivery.INSTALL_TIME }, apks: [{ path }] }],
    });
    const universal = create(TocSchema, { variants: [whole('universal.apk', 1)] });
    expect(chosen(universal, { sdk: 21 })).to.deep.equal(['universal.apk']);
    expect(baseByToc(universal)).to.equal('universal.apk');
    const { variants } = tocOf({ 21: { base } });
    const both = create(TocSchema, { variants: [whole('standalones/old.apk', 16), ...variants] });
    expect(chosen(both, { sdk: 21 })).to.deep.equal(['base.apk']);
    expect(chosen(both, { sdk: 19 })).to.deep.equal(['standalones/old.apk']);
  });

  it('leaves out what is for use without an installation, and for a sandbox of its own', () => {
    const { variants } = tocOf({ 21: { base } });
    const toc = create(TocSchema, {
      variants: [
        ...variants,
        { number: 9, targeting: { sdk: { values: [{ min: 23 }] } }, modules: [{ metadata: { name: 'base', delivery: Delivery.INSTALL_TIME }, apks: [{ path: 'instant.apk', instant: {} }] }] }, // prettier-ignore
        { number: 8, targeting: { sdk: { values: [{ min: 33 }] }, sdkRuntime: { required: true } }, modules: [{ metadata: { name: 'base', delivery: Delivery.INSTALL_TIME }, apks: [master('sandbox.apk')] }] }, // prettier-ignore
      ],
    });
    expect(chosen(toc)).to.deep.equal(['base.apk']);
  });

  it('finds the base APK for the newest phones, by which an app is described', () => {
    const toc = tocOf({ 21: { base: { apks: [master('21.apk')] } }, 29: { game: { apks: [master('game.apk')] }, base: { apks: [...densities, master('29.apk')] } } }); // prettier-ignore
    expect(baseByToc(toc)).to.equal('29.apk');
    expect(() => baseByToc(create(TocSchema, {}))).to.throw(NoChoice, 'names no base APK');
    expect(refusal(create(TocSchema, {})).message).to.contain('no APKs that are installed');
  });
});
