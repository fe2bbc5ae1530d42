/** From the page to the worker: the codec of the next units, or the message of a unit as it came. */
export type ToVideoWorker = { codec: string } | { unit: ArrayBuffer };

/** From the worker to the page: a picture to draw and to close, or why there will be none. */
export type FromVideoWorker = { picture: VideoFrame } | { error: string };
