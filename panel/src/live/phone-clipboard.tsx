import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import ClipboardCopy from 'lucide-react/icons/clipboard-copy';
import { useState } from 'react';
import { api, type Schemas, take } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';

type Step = NonNullable<Schemas['ActBodyInput']['steps']>[number];

/** The clipboard of a phone, on its way to that of this computer. */
export interface PhoneClipboard {
  /** Copies what the phone's clipboard has; with a letter, presses Ctrl and it first. */
  copy: (letter?: 'c' | 'x') => void;
  isPending: boolean;
  error: Error | null;
  /** Text that the browser did not let the panel copy. */
  shown: string | undefined;
  hide: () => void;
}

/**
 * Reads a phone's clipboard and writes it to the browser's. Where the browser refuses that, as it does without https or permission, the text is
 * shown, to be copied by hand.
 */
export function usePhoneClipboard(name: string): PhoneClipboard {
  const [shown, setShown] = useState<string>();
  const read = useMutation({
    mutationFn: async (letter: 'c' | 'x' | undefined) => {
      // One request, so that the clipboard is read after the keys.
      const press: Step[] = letter === undefined ? [] : [{ key: { names: ['ctrl_left', letter] } }];
      const body = { steps: [...press, { clipboard: {} }], observe: 'none' as const };
      const { clipboard = '' } = await take(api.POST('/v1/devices/{name}/act', { params: { path: { name } }, body }));
      if (clipboard !== '' && !(await isWritten(clipboard))) setShown(clipboard);
    },
  });
  return {
    copy: (letter) => read.mutate(letter),
    isPending: read.isPending,
    error: read.error,
    shown,
    hide: () => setShown(undefined),
  };
}

/** Writes a text to the browser's clipboard. Returns false where the browser refuses it. */
async function isWritten(text: string): Promise<boolean> {
  // Absent where the panel is not served over https, loopback aside.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Copies from the phone, and shows the text that the browser does not take. */
export function CopyFromPhone({ clipboard: { copy, isPending, shown, hide } }: { clipboard: PhoneClipboard }) {
  return (
    <>
      <Tooltip label="Copy from the phone">
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="Copy from the phone"
          loading={isPending}
          onClick={() => copy()}
        >
          <ClipboardCopy size={16} />
        </ActionIcon>
      </Tooltip>
      <Dialog opened={shown !== undefined} onClose={hide} title="Copied on the phone">
        <Textarea
          label="Text"
          description="The browser does not let this page copy it. Select it and copy it by hand."
          value={shown ?? ''}
          onFocus={({ currentTarget }) => currentTarget.select()}
          readOnly
          autosize
          minRows={2}
          maxRows={12}
          data-autofocus
        />
      </Dialog>
    </>
  );
}
