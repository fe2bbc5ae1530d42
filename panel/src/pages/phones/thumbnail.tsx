import { Loader } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Device, fetchOrExplain } from '../../api/client.ts';
import { keepLastPicture, lastPictureQuery } from '../../pictures/last-picture.ts';
import { Picture } from '../../pictures/picture.tsx';
import { useIdentity } from '../../api/account.ts';
import classes from './phones.module.css';

/** Most pixels of the longer side. */
const MAX_SIZE = 400;

/**
 * The screen of a phone that is on, which is fetched again and again while it is in sight. Until the first picture comes, the last one of
 * this browser is shown with a sign of loading.
 */
export function Thumbnail({ device, pollMs }: { device: Device; pollMs: number }) {
  const { name, state, screen, created_at } = device;
  const owner = useIdentity();
  const client = useQueryClient();
  const { ref, entry } = useIntersection({ rootMargin: '100px' });
  const isOn = state === 'running';
  const { data: picture, isError } = useQuery({
    queryKey: ['thumbnail', name],
    queryFn: async ({ signal }) => {
      const url = `/v1/devices/${encodeURIComponent(name)}/screenshot?format=jpeg&quality=70&max_size=${MAX_SIZE}`;
      const response = await fetchOrExplain(new Request(url, { signal }));
      return response.ok ? response.blob() : null;
    },
    enabled: isOn && entry?.isIntersecting === true,
    // An unchanged screen costs no bytes, as the browser sends its ETag.
    refetchInterval: pollMs,
    retry: false,
  });
  const live = isOn ? (picture ?? undefined) : undefined;
  const { data: kept } = useQuery({ ...lastPictureQuery(owner, device), enabled: live === undefined });
  useEffect(() => {
    if (live !== undefined) keepLastPicture(client, { name, created_at }, live);
  }, [client, name, created_at, live]);
  const hasFailed = isOn && (isError || picture === null);
  return (
    <div
      ref={ref}
      className={classes.thumbnail}
      data-waits={live === undefined}
      style={{ aspectRatio: `${screen.width} / ${screen.height}` }}
    >
      {live !== undefined ? (
        <Picture blob={live} alt={`Screen of ${name}`} />
      ) : (
        <>
          {kept && <Picture blob={kept.blob} alt={`Last picture of ${name}`} />}
          <span className={classes.waits} data-word={hasFailed ? 'No picture' : isOn ? '' : state}>
            {!hasFailed && <Loader size="xs" color="#e8eaed" aria-hidden />}
          </span>
        </>
      )}
    </div>
  );
}
