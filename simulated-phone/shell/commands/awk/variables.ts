import type { Reservation } from '../../../memory/memory-budget.js';
import { Cell } from './cells.js';
import type { RecordSettings } from './record.js';
import type { VariableReference } from './syntax-tree.js';
import { toNumber, toText, type Scalar } from './values.js';

const INITIAL: Readonly<Record<string, Scalar>> = {
  FS: ' ', OFS: ' ', ORS: '\n', RS: '\n', SUBSEP: '\x1c', CONVFMT: '%.6g', OFMT: '%.6g', NR: 0, FNR: 0, RSTART: 0, RLENGTH: -1, FILENAME: '',
}; // prettier-ignore

/** The variables of a program, and the parameters of the function that runs. */
export class Variables implements RecordSettings {
  readonly #memory: Reservation;
  readonly #globals = new Map<string, Cell>();
  /** Parameters of the functions that run, the innermost last. */
  readonly frames: Cell[][] = [];

  constructor(memory: Reservation) {
    this.#memory = memory;
    for (const [name, value] of Object.entries(INITIAL)) this.global(name).value = value;
  }

  get fieldSeparator(): string {
    return this.text('FS');
  }

  get outputSeparator(): string {
    return this.text('OFS');
  }

  get recordSeparator(): string {
    return this.text('RS');
  }

  get isParagraph(): boolean {
    return this.text('RS') === '';
  }

  get convfmt(): string {
    const format = this.global('CONVFMT').value;
    return typeof format === 'string' ? format : '%.6g';
  }

  cell({ name, local }: VariableReference): Cell {
    if (local === undefined) return this.global(name);
    const cell = this.frames.at(-1)?.[local];
    if (!cell) throw new Error(`there is no parameter ${name}`);
    return cell;
  }

  global(name: string): Cell {
    let cell = this.#globals.get(name);
    if (!cell) this.#globals.set(name, (cell = new Cell(name, this.#memory)));
    return cell;
  }

  /** Makes a parameter of a function that is called. */
  parameter(name: string, passed?: Cell): Cell {
    return new Cell(name, this.#memory, passed);
  }

  text(name: string): string {
    return toText(this.global(name).value, '%.6g');
  }

  number(name: string): number {
    return toNumber(this.global(name).value);
  }
}
