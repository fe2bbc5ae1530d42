import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { SeenElements } from '../../../../../replay/timeline/seen-elements.ts';
import type { Device } from '../../../api/client.ts';
import { saveFile } from '../../../parts/save-file.ts';
import type { Entry } from './timeline-query.ts';

/** Saves the listed steps as a replay file, which `cloudphone replay` runs. Its pictures stay in the timeline. */
export function SaveReplayButton({ device, entries }: { device: Device; entries: readonly Entry[] }) {
  const save = useMutation({ mutationFn: () => saveReplay(device, entries) });
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={save.isPending}
      title={save.error?.message}
      onClick={() => save.mutate()}
    >
      Save as replay
    </Button>
  );
}

/** The writer of YAML is loaded with the first file. */
async function saveReplay({ name, model, android, screen }: Device, entries: readonly Entry[]): Promise<void> {
  const [{ toReplay }, { replayText }] = await Promise.all([
    import('../../../../../replay/timeline/to-replay.ts'),
    import('../../../../../replay/format/replay-text.ts'),
  ]);
  const { width, height } = screen;
  const { replay } = toReplay(entries, new SeenElements(), { name, device: { model, android, width, height } });
  const text = replayText(
    replay,
    `What was done with ${name}. Run it: cloudphone replay ${name}.yaml --device ${name}`,
  );
  saveFile(new Blob([text], { type: 'application/yaml' }), `${name}.yaml`);
}
