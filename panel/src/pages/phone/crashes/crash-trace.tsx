import { Group, Stack } from '@mantine/core';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Moment } from '../../../parts/time.tsx';
import logs from '../logs/logs.module.css';
import { kindWords } from './kind-words.ts';
import type { Crash } from './crashes-query.ts';

/** Shows the trace of a crash. It is text from the phone, and is shown as text alone. */
export function CrashTrace({ crash, onClose }: { crash: Crash | undefined; onClose: () => void }) {
  return (
    <Dialog opened={crash !== undefined} onClose={onClose} title={crash?.package ?? ''}>
      {crash !== undefined && (
        <Stack gap="sm">
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <span>
              {kindWords(crash.kind)}, <Moment at={crash.at} />
            </span>
            <CopyButton text={crash.trace} what="the trace" />
          </Group>
          <pre className={logs.log} role="region" aria-label={`Trace of ${crash.id}`} tabIndex={0}>
            {crash.trace}
          </pre>
        </Stack>
      )}
    </Dialog>
  );
}
