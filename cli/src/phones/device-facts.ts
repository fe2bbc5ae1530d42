import { factsOf } from '../output/columns.js';
import { durationText } from '../output/sizes.js';
import type { Device } from '../service/types.js';

/** Returns the lines about one phone. */
export function deviceFacts(device: Device): string {
  const { name, model, android, state, exit, uptime, plan, labels, problem, lease, pool } = device;
  return factsOf([
    ['name', name],
    ['state', state],
    ['model', `${model}, Android ${android}`],
    ['exit', exitText(exit)],
    ['up for', state === 'running' ? durationText(uptime) : undefined],
    ['plan', plan],
    ['labels', labelsText(labels)],
    ['pool', pool],
    ['leased by', lease && leaseText(lease)],
    ['problem', problem?.message],
  ]);
}

export function exitText({ type, country, address }: Device['exit']): string {
  return `${type} ${country}${address === undefined ? '' : ` ${address}`}`;
}

function leaseText({ holder, note, expires_at: until }: NonNullable<Device['lease']>): string {
  return `${holder.name} until ${until}${note === undefined ? '' : `: ${note}`}`;
}

/** Returns labels as options take them. */
export function labelsText(labels: Device['labels']): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .join(' ');
}
