import { ABIS_OF_SPLITS } from './abi.js';
import { DENSITIES } from './density.js';
import { languageOf } from './phone-traits.js';

/** What the name of a split says of it. */
export interface SplitName {
  /** The feature module that it belongs to; empty for the app itself. */
  module: string;
  /** What it is for. Absent: the module itself, or something that the name does not tell. */
  for?: { kind: 'abi'; abi: string } | { kind: 'density'; dpi: number } | { kind: 'language'; language: string };
}

/** Formats of textures, whose names would pass for languages. */
const NO_LANGUAGES = new Set(['atc', 'dds']);

/** Reads the name of a split as bundletool makes it: `config.xhdpi`, `config.x86_64`, `config.en`, `game`, `game.config.en`. */
export function splitNameOf(split: string): SplitName {
  const found = /^(?:(.+)\.)?config\.([a-z0-9_]+)$/i.exec(split);
  if (found === null) return { module: split };
  const [, module = '', qualifier = ''] = found;
  const abi = ABIS_OF_SPLITS.get(qualifier);
  if (abi !== undefined) return { module, for: { kind: 'abi', abi } };
  const dpi = Object.hasOwn(DENSITIES, qualifier) ? DENSITIES[qualifier] : undefined;
  if (dpi !== undefined) return { module, for: { kind: 'density', dpi } };
  const isLanguage = /^[a-z]{2,3}(_[a-z0-9]+)*$/i.test(qualifier) && !NO_LANGUAGES.has(qualifier);
  return isLanguage ? { module, for: { kind: 'language', language: languageOf(qualifier) } } : { module };
}
