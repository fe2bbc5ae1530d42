import { boundedCount, boundedText } from './expansion-failure.js';
import type { Word, WordPart } from './grammar/syntax-tree.js';

/** An unquoted character, or a part that has no brackets of its own. */
type Atom = string | WordPart;

/** Returns `ab` and `ac` for `a{b,c}`. A word without such brackets is returned as it is. Throws ExpansionFailure for too many words. */
export function expandBraces(word: Word): readonly Word[] {
  if (!word.some((part) => part.type === 'text' && !part.quoted && part.text.includes('{'))) return [word];
  const atoms = word.flatMap((part): Atom[] => (part.type === 'text' && !part.quoted ? Array.from(part.text) : [part]));
  const groups = groupsOf(atoms);
  if (groups.size === 0) return [word];
  return alternatives(atoms, { start: 0, end: atoms.length }, groups).map(asWord);
}

/** For the place of each opening bracket: the places of its commas and of its closing bracket. */
type Groups = ReadonlyMap<number, { commas: number[]; end: number }>;

function groupsOf(atoms: readonly Atom[]): Groups {
  const groups = new Map<number, { commas: number[]; end: number }>();
  const open: { start: number; commas: number[] }[] = [];
  atoms.forEach((atom, at) => {
    if (atom === '{') open.push({ start: at, commas: [] });
    else if (atom === ',') open.at(-1)?.commas.push(at);
    else if (atom === '}') {
      const group = open.pop();
      if (group && group.commas.length > 0) groups.set(group.start, { commas: group.commas, end: at });
    }
  });
  // A bracket that is never closed makes all brackets after it plain text.
  const unclosed = open[0]?.start ?? atoms.length;
  for (const start of groups.keys()) if (start > unclosed) groups.delete(start);
  return groups;
}

function alternatives(
  atoms: readonly Atom[],
  { start, end }: { start: number; end: number },
  groups: Groups,
): Atom[][] {
  let result: Atom[][] = [[]];
  let atomCount = 0;
  for (let at = start; at < end; at++) {
    const group = groups.get(at);
    const choices: Atom[][] = [];
    if (group) {
      const ends = [...group.commas, group.end];
      ends.forEach((to, index) => {
        const from = (index === 0 ? at : (ends[index - 1] ?? at)) + 1;
        for (const choice of alternatives(atoms, { start: from, end: to }, groups)) choices.push(choice);
      });
      at = group.end;
    } else choices.push([atoms[at] ?? '']);
    boundedCount(result.length * choices.length);
    const [only] = choices;
    if (choices.length === 1 && only?.length === 1 && only[0] !== undefined) {
      atomCount += result.length;
      for (const one of result) one.push(only[0]);
    } else {
      const chars = choices.reduce((sum, choice) => sum + choice.length, 0);
      atomCount = atomCount * choices.length + result.length * chars;
      boundedAtoms(atomCount);
      result = result.flatMap((one) => choices.map((choice) => [...one, ...choice]));
    }
    boundedAtoms(atomCount);
  }
  return result;
}

/** Checks the number of atoms. Throws when there are too many, as each takes memory until the words are made. */
function boundedAtoms(count: number): void {
  boundedCount(count / ATOMS_PER_WORD);
}

const ATOMS_PER_WORD = 8;

function asWord(atoms: readonly Atom[]): Word {
  const word: WordPart[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) word.push({ type: 'text', text: boundedText(texts.join('')), quoted: false });
    texts = [];
  };
  for (const atom of atoms) {
    if (typeof atom === 'string') texts.push(atom);
    else {
      flush();
      word.push(atom);
    }
  }
  flush();
  return word;
}
