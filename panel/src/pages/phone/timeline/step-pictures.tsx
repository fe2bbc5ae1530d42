import { useRef, useState } from 'react';
import { type Difference, differenceOf } from './difference.ts';
import type { Entry } from './timeline-query.ts';
import classes from './timeline.module.css';

/** Shows the screen before and after a step, with a frame around the difference. */
export function StepPictures({ entry: { before, after } }: { entry: Entry }) {
  const [first, second] = [useRef<HTMLImageElement>(null), useRef<HTMLImageElement>(null)];
  const [difference, setDifference] = useState<Difference>();
  const compare = (): void => {
    const [one, other] = [first.current, second.current];
    if (one?.complete === true && other?.complete === true) setDifference(differenceOf(one, other));
  };
  if (before === undefined && after === undefined)
    return <p className={classes.none}>There are no pictures of this step.</p>;
  return (
    <div className={classes.pictures}>
      {before !== undefined && (
        <Picture name="Before" source={before} image={first} onLoad={compare} difference={undefined} />
      )}
      {after !== undefined && (
        <Picture name="After" source={after} image={second} onLoad={compare} difference={difference} />
      )}
    </div>
  );
}

interface PictureProps {
  name: string;
  source: string;
  image: React.RefObject<HTMLImageElement | null>;
  onLoad: () => void;
  difference: Difference | undefined;
}

function Picture({ name, source, image, onLoad, difference }: PictureProps) {
  const percent = (share: number): string => `${share * 100}%`;
  return (
    <figure className={classes.picture}>
      <div className={classes.screen}>
        <img ref={image} src={source} alt={`Screen ${name.toLowerCase()} the step`} onLoad={onLoad} />
        {difference !== undefined && (
          <div
            className={classes.difference}
            style={{
              left: percent(difference.left),
              top: percent(difference.top),
              width: percent(difference.width),
              height: percent(difference.height),
            }}
          />
        )}
      </div>
      <figcaption>{name}</figcaption>
    </figure>
  );
}
