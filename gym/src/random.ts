/** Random choices of a task, which are the same for the same seed. */
export interface Random {
  /** Returns a whole number from `least` to `most`, both included. */
  int: (least: number, most: number) => number;
  pick: <T>(choices: readonly T[]) => T;
  /** Returns `count` different ones of the choices, in a random order. */
  sample: <T>(choices: readonly T[], count: number) => T[];
}

/** Returns the choices of a seed and a name, so that tasks with the same seed are independent of each other. */
export function seededRandom(seed: number, name: string): Random {
  let state = hash(`${seed}/${name}`);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const sample = <T>(choices: readonly T[], count: number): T[] => {
    const left = [...choices];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(int(0, left.length - 1), 1)[0] as T);
  };
  return { int, sample, pick: (choices) => sample(choices, 1)[0] as (typeof choices)[number] };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum;
}
