import type { DescEnum, EnumShape } from '@bufbuild/protobuf';

/**
 * Returns the word for an enum value, such as `running` for DEVICE_STATE_RUNNING. JSON, query strings and stored documents hold words; the
 * code uses the proto enums.
 */
export function wordOf(desc: DescEnum, value: number): string {
  const name = desc.value[value]?.name ?? desc.values.find((candidate) => candidate.number === value)?.name;
  if (name === undefined) throw new Error(`${desc.typeName} has no value ${value}`);
  return name.slice(prefixOf(desc).length).toLowerCase();
}

/** Returns the enum value of `word`; undefined when the word is not one of wordsOf(desc). */
export function valueOfWord(desc: DescEnum, word: string): number | undefined {
  if (word !== word.toLowerCase()) return undefined;
  const name = prefixOf(desc) + word.toUpperCase();
  const found = desc.values.find((candidate) => candidate.name === name);
  return found === undefined || found.number === 0 ? undefined : found.number;
}

/** Returns the enum value of a word that this project's own code wrote. Throws for an unknown word, which is a bug. */
export function enumOf<D extends DescEnum>(desc: D, word: string): EnumShape<D> {
  const value = valueOfWord(desc, word);
  if (value === undefined) throw new Error(`${desc.typeName} has no word ${word}`);
  return value as EnumShape<D>;
}

/** Returns every word of an enum, in order of declaration, without the word of the zero value ("unspecified"). */
export function wordsOf(desc: DescEnum): string[] {
  return desc.values.filter(({ number }) => number !== 0).map(({ number }) => wordOf(desc, number));
}

function prefixOf(desc: DescEnum): string {
  return desc.name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase() + '_';
}
