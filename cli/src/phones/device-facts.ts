import { factsOf } from '../output/columns.js';
import { durationText } from '../output/sizes.js';
import type { Device } from '../service/types.js';

/** Returns the lines about one phone. */
export function deviceFacts({ name, model, android, state, exit, uptime, plan, labels, problem }: Device): string {
  return factsOf([
    ['name', name],
    ['state', state],
    ['model', `${model}, Android ${android}`],
    ['exit', exitText(exit)],
    ['up for', state === 'running' ? durationText(uptime) : undefined],
    ['plan', plan],
    ['labels', labelsText(labels)],
    ['problem', problem?.message],
  ]);
}

export function exitText({ type, country, address }: Device['exit']): string {
  return `${type} ${country}${address === undefined ? '' : ` ${address}`}`;
}

/** Returns labels as options take them. */
export function labelsText(labels: Device['labels']): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .join(' ');
}
