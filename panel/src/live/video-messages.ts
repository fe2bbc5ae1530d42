/** A message from the page to the worker: the codec of the next units, or one unit as the socket received it. */
export type ToVideoWorker = { codec: string } | { unit: ArrayBuffer };

/** A message from the worker to the page: a picture to draw and to close, or the reason why there will be none. */
export type FromVideoWorker = { picture: VideoFrame } | { error: string };
