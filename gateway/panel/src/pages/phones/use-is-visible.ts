import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether an element is in sight, or nearly. */
export function useIsVisible<T extends Element>(): [RefObject<T | null>, boolean] {
  const place = useRef<T>(null);
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setIsVisible(entry?.isIntersecting === true), {
      rootMargin: '100px',
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return [place, isVisible];
}
