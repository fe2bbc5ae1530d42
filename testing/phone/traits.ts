import type { PhoneTraits } from '../../phone/splits/phone-traits.js';

/** The traits of a new phone for English, with the given ones in place of its own. */
export function traitsOf(traits: Partial<PhoneTraits> = {}): PhoneTraits {
  return {
    sdk: 34,
    isPreview: false,
    abis: ['x86_64', 'x86', 'arm64-v8a'],
    densityDpi: 320,
    languages: ['en'],
    features: ['android.hardware.camera'],
    glEsVersion: 0x30000,
    ...traits,
  };
}
