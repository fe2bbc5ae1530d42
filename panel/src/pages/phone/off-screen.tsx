import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isInTransit } from '../../api/devices.ts';
import type { Device } from '../../api/client.ts';
import { plainWords } from '../../api/plain-words.ts';
import screenClasses from '../../live/live.module.css';
import { ratioOf } from '../../live/ratio.ts';
import { PowerButton } from '../../parts/power-button.tsx';
import { Moment } from '../../parts/time.tsx';
import { lastPictureQuery, timelinePictureQuery } from '../../pictures/last-picture.ts';
import { Picture } from '../../pictures/picture.tsx';
import { useIdentity } from '../../api/account.ts';
import { STATE_WORDS } from './state-words.ts';

/**
 * The screen of a phone that is not running. It has the last known picture, the reason why there is none now, and the button that starts
 * it.
 */
export function OffScreen({ device }: { device: Device }) {
  const { name, state, screen, problem, timeline } = device;
  const owner = useIdentity();
  const { data: kept } = useQuery(lastPictureQuery(owner, device));
  const { data: path } = useQuery({ ...timelinePictureQuery(name), enabled: kept === null && timeline });
  const alt = `Last picture of ${name}`;
  return (
    <div className={screenClasses.frame} data-frame style={ratioOf(screen)}>
      {kept && <Picture blob={kept.blob} alt={alt} className={screenClasses.last} />}
      {!kept && typeof path === 'string' && (
        <img src={path} alt={alt} className={screenClasses.last} draggable={false} />
      )}
      <div className={screenClasses.offScreen} role="status">
        {isInTransit(device) && <Loader size="sm" color="#e4e7ec" aria-hidden />}
        <span>
          {problem === undefined ? STATE_WORDS[state] : plainWords(problem.message)}
          {kept && (
            <small className={screenClasses.seen}>
              Last seen <Moment at={new Date(kept.atMs).toISOString()} />
            </small>
          )}
        </span>
        <PowerButton device={device} size="sm" look="main" />
      </div>
    </div>
  );
}
