import type { Clock } from '../../../../kit/async/clock.js';
import type { InputFiles } from './input-files.js';
import type { MainInput } from './main-input.js';
import type { OutputFiles } from './output-files.js';
import type { Patterns } from './patterns.js';
import type { RandomNumbers } from './random-numbers.js';
import type { InputRecord } from './record.js';
import type { Turns } from './turns.js';
import type { Variables } from './variables.js';

/** The parts that one run of awk works with. */
export interface AwkContext {
  readonly clock: Clock;
  readonly variables: Variables;
  readonly record: InputRecord;
  readonly patterns: Patterns;
  readonly turns: Turns;
  readonly input: MainInput;
  readonly files: InputFiles;
  readonly output: OutputFiles;
  readonly random: RandomNumbers;
}
