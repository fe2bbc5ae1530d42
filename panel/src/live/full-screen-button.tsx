import { ActionIcon, Tooltip } from '@mantine/core';
import type { UseFullscreenElementReturnValue } from '@mantine/hooks';
import Maximize from 'lucide-react/icons/maximize';
import Minimize from 'lucide-react/icons/minimize';

/** Shows the phone and its buttons alone on the person's screen, and back; Esc does the latter too. */
export function FullScreenButton({
  toggle,
  fullscreen,
}: Pick<UseFullscreenElementReturnValue, 'toggle' | 'fullscreen'>) {
  const label = fullscreen ? 'Leave full screen' : 'Full screen';
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => void toggle()}>
        {fullscreen ? <Minimize size={16} /> : <Maximize size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
