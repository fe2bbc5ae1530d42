import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { SeenElements } from '../../../../../replay/timeline/seen-elements.ts';
import type { Device } from '../../../api/client.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import forms from '../../../parts/forms.module.css';
import { saveFile } from '../../../parts/save-file.ts';
import type { Entry } from './timeline-query.ts';

/** Saves the listed steps as a replay file, which `cloudphone replay` runs. Its pictures stay in the timeline. */
export function SaveReplayButton({ device, entries }: { device: Device; entries: readonly Entry[] }) {
  const save = useMutation({ mutationFn: () => saveReplay(device, entries) });
  return (
    <>
      <Button variant="default" size="compact-sm" loading={save.isPending} onClick={() => save.mutate()}>
        Save as replay
      </Button>
      {save.data !== undefined && save.data > 0 && (
        <p className={forms.quiet} role="status">
          {save.data === 1
            ? '1 step was left out, as a later run cannot do it.'
            : `${save.data} steps were left out, as a later run cannot do them.`}
        </p>
      )}
      <ErrorAlert error={save.error} next={null} />
    </>
  );
}

/** Saves the file, and returns how many steps it lacks. The writer of YAML is loaded with the first file. */
async function saveReplay({ name, model, android, screen }: Device, entries: readonly Entry[]): Promise<number> {
  const [{ toReplay }, { replayText }] = await Promise.all([
    import('../../../../../replay/timeline/to-replay.ts'),
    import('../../../../../replay/format/replay-text.ts'),
  ]);
  const { width, height } = screen;
  const { replay, leftOut } = toReplay(entries, new SeenElements(), {
    name,
    device: { model, android, width, height },
  });
  if (replay.steps.length === 0) throw new Error('None of these steps can be done by a later run. List other steps.');
  const text = replayText(
    replay,
    `What was done with ${name}. Run it: cloudphone replay ${name}.yaml --device ${name}`,
  );
  saveFile(new Blob([text], { type: 'application/yaml' }), `${name}.yaml`);
  return leftOut;
}
