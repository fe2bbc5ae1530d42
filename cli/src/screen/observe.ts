import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { plainText } from '../output/plain-text.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import type { Schemas } from '../service/types.js';

export async function run(invocation: Invocation): Promise<void> {
  const { words, options, signal } = invocation;
  const [name = ''] = words;
  const { phone } = openService(invocation);
  const elements = elementsOf(options.text('elements'));
  const query = { screenshot: 'none' as const, elements };
  const body = await phone.get('/v1/devices/{name}/observe', { params: { path: { name }, query }, signal });
  print(invocation, body, screenText(body.observation));
}

/** Returns the screen as text: the app in front, then a line for each element. */
export function screenText(observation: Schemas['Observation']): string {
  const { app, activity, warnings = [], elements = [], elements_text: lines } = observation;
  const listed = lines ?? elements.map(({ id, role, text, label }) => [id, role, text ?? label].join(' ')).join('\n');
  const warned = warnings.length === 0 ? '' : `  (${warnings.join(', ')})`;
  return plainText(`${app}${activity ? ` ${activity}` : ''}${warned}\n${listed}`.trimEnd());
}

function elementsOf(form = 'compact'): 'compact' | 'changed' | 'full' {
  if (form === 'compact' || form === 'changed' || form === 'full') return form;
  throw new UsageError(`--elements is "${form}". It must be compact, changed or full.`);
}
