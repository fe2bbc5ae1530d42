import { useIntersection } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Device, fetchOrExplain } from '../../api/client.ts';
import classes from './phones.module.css';

/** Of the longer side, in pixels. */
const MAX_SIZE = 400;

/** A phone's screen, fetched again and again while it is in sight; for a phone that is off, a dark screen. */
export function Thumbnail({ device, pollMs }: { device: Device; pollMs: number }) {
  const { name, state, screen } = device;
  const { ref, entry } = useIntersection({ rootMargin: '100px' });
  const isOn = state === 'running';
  const { data: picture } = useQuery({
    queryKey: ['thumbnail', name],
    queryFn: async ({ signal }) => {
      const url = `/v1/devices/${encodeURIComponent(name)}/screenshot?format=jpeg&quality=70&max_size=${MAX_SIZE}`;
      const response = await fetchOrExplain(new Request(url, { signal }));
      return response.ok ? response.blob() : null;
    },
    enabled: isOn && entry?.isIntersecting === true,
    // A screen that is as it was costs no bytes: the browser sends its ETag.
    refetchInterval: pollMs,
    retry: false,
  });
  return (
    <div ref={ref} className={classes.thumbnail} style={{ aspectRatio: `${screen.width} / ${screen.height}` }}>
      {isOn && picture !== undefined && picture !== null ? (
        <Picture blob={picture} alt={`Screen of ${name}`} />
      ) : (
        <span className={classes.off} data-word={isOn ? '' : state === 'stopped' ? 'Off' : state} />
      )}
    </div>
  );
}

/** A picture that came as bytes. */
function Picture({ blob, alt }: { blob: Blob; alt: string }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(blob);
    if (image.current !== null) image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return <img ref={image} alt={alt} draggable={false} />;
}
