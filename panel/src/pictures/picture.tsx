import { useEffect, useRef } from 'react';

/** A picture that came as bytes. */
export function Picture({ blob, alt, className }: { blob: Blob; alt: string; className?: string | undefined }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(blob);
    if (image.current !== null) image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return <img ref={image} alt={alt} className={className} draggable={false} />;
}
