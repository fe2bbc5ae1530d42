import type { DescEnum, EnumShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { parseTimestamp } from '../kit/json/timestamp.js';
import { enumOf, valueOfWord, wordsOf } from '../kit/text/wire-words.js';

export function wordOption<D extends DescEnum>(desc: D, name: string, word: string): EnumShape<D> {
  if (valueOfWord(desc, word) !== undefined) return enumOf(desc, word);
  throw new Error(`--${name}: "${word}" is not one of ${wordsOf(desc).join(', ')}`);
}

export function timeOption(name: string, text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw new Error(`--${name}: "${text}" is not a time such as 2027-11-20T17:00:00Z`);
}

export function numberOption(name: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`--${name}: "${text}" is not a whole number from 0 to 1000000`);
}
