import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Device } from '../../api/client.ts';
import { fetchOrExplain } from '../../api/client.ts';
import classes from './phones.module.css';
import { useIsVisible } from './use-is-visible.ts';

/** Of the longer side, in pixels. */
const MAX_SIZE = 400;

/** What is on a phone's screen, looked at again and again while it is in sight; for a phone that is off, a dark screen. */
export function Thumbnail({ device, pollMs }: { device: Device; pollMs: number }) {
  const { name, state, screen } = device;
  const [place, isVisible] = useIsVisible<HTMLDivElement>();
  const isOn = state === 'running';
  const { data: picture } = useQuery({
    queryKey: ['thumbnail', name],
    queryFn: async ({ signal }) => {
      const url = `/v1/devices/${encodeURIComponent(name)}/screenshot?format=jpeg&quality=70&max_size=${MAX_SIZE}`;
      const response = await fetchOrExplain(new Request(url, { signal }));
      return response.ok ? response.blob() : null;
    },
    enabled: isOn && isVisible,
    // A screen that is as it was costs no bytes: the browser asks by its ETag.
    refetchInterval: pollMs,
    retry: false,
  });
  return (
    <div ref={place} className={classes.thumbnail} style={{ aspectRatio: `${screen.width} / ${screen.height}` }}>
      {isOn && picture !== undefined && picture !== null ? (
        <Picture blob={picture} alt={`Screen of ${name}`} />
      ) : (
        <span className={classes.off}>{isOn ? '' : state === 'stopped' ? 'Off' : state}</span>
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
