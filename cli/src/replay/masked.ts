import type { Values } from '../../../replay/format/variables.js';

/** Stands for a secret. The service shows secrets in the same way. */
const DOTS = '••••••••';

/** Returns a function that hides the secret values in texts that are printed or saved. */
export function maskOf(values: Values): (text: string) => string {
  const secrets = [...values.values()].filter(({ secret, text }) => secret && text !== '').map(({ text }) => text);
  // As JSON has them, too: messages quote texts in this way.
  const forms = secrets.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, DOTS), text);
}
