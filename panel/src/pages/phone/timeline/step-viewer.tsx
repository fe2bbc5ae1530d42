import { Card } from '../../../parts/card.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import forms from '../../../parts/forms.module.css';
import { actBodies } from '../../../../../replay/timeline/act-bodies.ts';
import { SeenElements } from '../../../../../replay/timeline/seen-elements.ts';
import { StepPictures } from './step-pictures.tsx';
import { sentenceOf } from './story.ts';
import type { Entry } from './timeline-query.ts';
import classes from './timeline.module.css';

interface Props {
  /** The entries, oldest first; at least one. */
  entries: readonly Entry[];
  /** The index of the shown entry. */
  at: number;
  onMove: (at: number) => void;
}

/** Shows one step of the timeline with its pictures, and a slider through all steps. */
export function StepViewer({ entries, at, onMove }: Props) {
  const entry = entries[at];
  if (entry === undefined) return null;
  const copied = copyOf([entry], entries.slice(0, at));
  return (
    <Card
      title={`Step ${at + 1} of ${entries.length}`}
      actions={copied !== undefined && <CopyButton text={copied} what="this step as act steps" />}
    >
      <div className={forms.fields}>
        <div className={classes.scrubber}>
          <input
            type="range"
            min={0}
            max={entries.length - 1}
            value={at}
            aria-label="Step"
            aria-valuetext={`${at + 1}: ${sentenceOf(entry)}`}
            onChange={(event) => onMove(Number(event.currentTarget.value))}
          />
        </div>
        <p className={classes.sentence}>{sentenceOf(entry)}</p>
        {entry.message !== undefined && <p className={`${classes.sentence} ${classes.bad}`}>{entry.message}</p>}
        <StepPictures key={entry.id} entry={entry} />
        {entry.changed !== undefined && (
          <pre className={classes.changed} tabIndex={0} role="region" aria-label="What changed on the screen">
            {entry.changed === '' ? 'Nothing changed on the screen.' : entry.changed}
          </pre>
        )}
      </div>
    </Card>
  );
}

/** Returns bodies of `act` that repeat entries, a line each; undefined when there are none. `before`: the entries before these. */
export function copyOf(entries: readonly Entry[], before: readonly Entry[] = []): string | undefined {
  const seen = new SeenElements();
  for (const entry of before) seen.see(entry);
  const bodies = actBodies(entries, seen);
  return bodies.length === 0 ? undefined : bodies.map((body) => JSON.stringify(body)).join('\n');
}
