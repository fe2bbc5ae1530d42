import { kindOf } from '../../../replay/format/spoken-step.js';
import type { Expectation, ReplayStep } from '../../../replay/format/replay.js';
import { DOTS } from './masked.js';

/** A text that is one variable, whose name may be shown where its value may not. */
const VARIABLE = /^\$\{[^}]*\}$/;

/** Returns a step in a few words, with its variables as the file has them: `tap "Save"`. A text that is typed as a secret is dots. */
export function stepWords(step: ReplayStep): string {
  const kind = kindOf(step);
  const args = step[kind] as Record<string, unknown>;
  const own = [args['text'], args['app'], args['url'], args['name'], args['set']].find(
    (one) => typeof one === 'string',
  );
  const words = own !== undefined && args['secret'] === true && !VARIABLE.test(own) ? DOTS : own;
  const target = args['target'] as { text?: string } | undefined;
  const into = target?.text === undefined ? '' : ` into ${JSON.stringify(target.text)}`;
  if (words !== undefined) return `${kind} ${JSON.stringify(words)}${into}`;
  const rest = Object.keys(args).length === 0 ? '' : ` ${JSON.stringify(args)}`;
  return `${kind}${rest}`;
}

/** Returns an expectation in words: `button "Save" that is enabled`. */
export function expectationWords({ text, gone, app, role, state }: Expectation): string {
  if (gone !== undefined) return `no ${JSON.stringify(gone)} on the screen`;
  if (app !== undefined) return `the app ${JSON.stringify(app)} in front`;
  return `${role ?? 'the text'} ${JSON.stringify(text ?? '')}${state === undefined ? '' : ` that is ${state}`}`;
}

/** Returns the words that a step looks for on the screen: first those of what it presses, then those that it expects. */
export function soughtWords(step: ReplayStep, isExpectation: boolean): string {
  const { expect } = step;
  if (isExpectation) return expect?.text ?? expect?.gone ?? expect?.app ?? '';
  const args = step[kindOf(step)] as Record<string, { text?: unknown } | undefined>;
  const found = [args, args['target'], args['from'], args['to'], args['until']].map((one) => one?.text);
  return found.find((one): one is string => typeof one === 'string') ?? '';
}
