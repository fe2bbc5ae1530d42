import type { ScreenContent, ScreenElement } from './elements.js';
import { beside, type Landmark } from './landmarks.js';
import { area, intersection } from '../shapes/rectangle.js';

/** The landmarks of one app in one reading of the screen. */
export class ReadingSide {
  readonly all: readonly Landmark[];
  /** Indexes of the landmarks of each list; the entry '' has those of landmarks in no list. */
  readonly lists = new Map<string, number[]>();
  /** The lower end of the app on the screen. */
  readonly bottom: number;
  /** Whether a field of the app has the focus. */
  readonly hasFocus: boolean;
  readonly #elements: readonly ScreenElement[];
  readonly #names = new Map<number, string>();
  /** A number for each text, so that a name does not contain the texts of a whole list. */
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, Map<string, number>>();
  #titles: ReadonlySet<number> | undefined;

  constructor({ elements, landmarks }: ScreenContent, packageName: string) {
    this.#elements = elements;
    this.all = landmarks;
    landmarks.forEach((landmark, at) => {
      if (landmark.packageName !== packageName) return;
      const list = this.lists.get(landmark.list);
      if (list === undefined) this.lists.set(landmark.list, [at]);
      else list.push(at);
    });
    const own = landmarks.filter((landmark) => landmark.packageName === packageName);
    this.bottom = Math.max(0, ...own.map(({ bounds }) => bounds.y + bounds.height));
    this.hasFocus = own.some(({ isField, isFocused }) => isField && isFocused);
  }

  of(indexes: readonly number[]): Landmark[] {
    return indexes.flatMap((at) => this.all[at] ?? []);
  }

  /** Leaves out landmarks at the ends of a list, where they may be cut off, and the landmarks inside those. */
  withoutEnds(indexes: readonly number[]): number[] {
    const ends = indexes.flatMap((at) => (this.all[at]?.isAtEnd === true ? [this.all[at].bounds] : []));
    return indexes.filter((at) => {
      const bounds = this.all[at]?.bounds;
      return bounds !== undefined && !ends.some((end) => area(intersection(end, bounds)) === area(bounds));
    });
  }

  /** Returns the landmarks around a landmark: those of its row and, if `withPart`, those of its part of the screen. */
  around(at: number, withPart = true): Landmark[] {
    const [first, end] = (withPart ? this.all[at]?.within : undefined) ?? [at, at];
    const within = this.all.slice(first, end).filter((_, index) => first + index !== at);
    return [...new Set([...within, ...beside(this.all, at)])];
  }

  /** Whether its list has no other landmark with the same facts and surroundings. */
  isAlone(at: number): boolean {
    return this.#countsOf(at).get(this.#nameOf(at)) === 1;
  }

  /** Whether its list has no other landmark of its class and resource id. */
  isOnlyOfKind(at: number): boolean {
    const one = this.all[at];
    const list = this.lists.get(one?.list ?? '') ?? [];
    return list.every((other) => other === at || this.all[other]?.kind !== one?.kind);
  }

  /** Whether it is the first text of the element that it is folded into, which names the element. */
  isTitle(at: number): boolean {
    this.#titles ??= firstTexts(this.all);
    const { row, words } = this.all[at] ?? {};
    return row === undefined || words?.length === 0 || this.#titles.has(at);
  }

  /**
   * Returns the indexes of elements. For elements in no list, it adds the indexes of the texts that are folded into them. In a list, such
   * texts name the row.
   */
  indexesOf(elements: readonly ScreenElement[]): ReadonlySet<number> {
    const wanted = new Set(elements.map((element) => this.#elements.indexOf(element)));
    const indexes = new Set<number>();
    this.all.forEach(({ element, row, list }, at) => {
      if (wanted.has(element ?? NaN) || (list === '' && wanted.has(row ?? NaN))) indexes.add(at);
    });
    return indexes;
  }

  /** Returns a landmark's own facts together with its surroundings. */
  #nameOf(at: number): string {
    let name = this.#names.get(at);
    if (name === undefined) {
      const { kind = '', words = [] } = this.all[at] ?? {};
      const texts = [[kind], words, this.around(at).flatMap((one) => one.words)];
      name = texts.map((some) => some.map((text) => this.#numberOf(text)).join()).join(' ');
      this.#names.set(at, name);
    }
    return name;
  }

  #countsOf(at: number): Map<string, number> {
    const list = this.all[at]?.list ?? '';
    let counts = this.#counts.get(list);
    if (counts === undefined) {
      counts = new Map();
      for (const one of this.lists.get(list) ?? [])
        counts.set(this.#nameOf(one), (counts.get(this.#nameOf(one)) ?? 0) + 1);
      this.#counts.set(list, counts);
    }
    return counts;
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}

/** Returns the index of the first text of each element that has texts folded into it. */
function firstTexts(landmarks: readonly Landmark[]): Set<number> {
  const rows = new Set<number>();
  const titles = new Set<number>();
  landmarks.forEach(({ row, words }, at) => {
    if (row === undefined || words.length === 0 || rows.has(row)) return;
    rows.add(row);
    titles.add(at);
  });
  return titles;
}
