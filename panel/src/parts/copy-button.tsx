import { ActionIcon, Tooltip } from '@mantine/core';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useEffect, useState } from 'react';

/** How long the result is shown, ms. */
const SHOWN_MS = 1_500;

/** Copies a text. `what`: its name for screen readers, such as "the key". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [result, setResult] = useState<'copied' | 'failed' | undefined>();
  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = (): void => {
    // Browsers have it only over https, and on loopback.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const copying = clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    copying.then(
      () => setResult('copied'),
      () => setResult('failed'),
    );
  };
  const label =
    result === 'copied'
      ? 'Copied'
      : result === 'failed'
        ? 'The browser does not allow it: select the text and copy it'
        : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} onClick={copy}>
        {result === 'copied' ? <Check size={16} /> : <Copy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
