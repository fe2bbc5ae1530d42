import type { ReplayStep } from '../../../replay/format/replay.js';
import { filled, type Values } from '../../../replay/format/variables.js';

/** Stands for a secret. The service shows secrets in the same way. */
export const DOTS = '••••••••';

/** Returns a function that hides the secret values, and texts that steps type as secrets, in texts that are printed or saved. */
export function maskOf(values: Values, steps: readonly ReplayStep[]): (text: string) => string {
  const ofVariables = [...values.values()].filter(({ secret }) => secret).map(({ text }) => text);
  const secrets = [...ofVariables, ...steps.flatMap((step) => typedSecrets(filled(step, values)))].filter(Boolean);
  // As JSON has them, too: messages quote texts in this way.
  const forms = secrets.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, DOTS), text);
}

function typedSecrets({ type }: ReplayStep): string[] {
  const { text, secret } = (type ?? {}) as { text?: string; secret?: boolean };
  return secret === true && text !== undefined ? [text] : [];
}
