import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { contentUrl, type Recording, segmentsOf } from './recordings-query.ts';
import classes from './recordings.module.css';

/** Plays a recording, one file after the other. */
export function Player({ recording, onClose }: { recording: Recording | undefined; onClose: () => void }) {
  return (
    <Dialog opened={recording !== undefined} onClose={onClose} title="Recording">
      {recording !== undefined && <Film key={recording.id} recording={recording} />}
    </Dialog>
  );
}

function Film({ recording }: { recording: Recording }) {
  const [segment, setSegment] = useState(0);
  const parts = segmentsOf(recording);
  const url = contentUrl(recording, segment);
  return (
    <Stack gap="sm">
      <video
        key={segment}
        className={classes.video}
        src={url}
        controls
        autoPlay
        muted
        aria-label={`Recording of ${recording.device}`}
        onEnded={() => segment + 1 < parts.length && setSegment(segment + 1)}
      />
      <Group gap="xs">
        {parts.length > 1 &&
          parts.map((part) => (
            <Button
              key={part}
              size="compact-xs"
              variant={part === segment ? 'filled' : 'default'}
              aria-pressed={part === segment}
              onClick={() => setSegment(part)}
            >
              Part {part + 1}
            </Button>
          ))}
        <Anchor href={url} download inherit underline="always">
          Download
        </Anchor>
      </Group>
      {recording.has_secrets && <p>A secret was typed meanwhile, and may be seen in it.</p>}
      {recording.reason !== undefined && <p>{recording.reason}</p>}
    </Stack>
  );
}
