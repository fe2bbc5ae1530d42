/** The run of the video's server whose pictures viewers get. They have had its pictures since `sinceMs`, monotonic. */
export interface Shown<Run> {
  run: Run;
  sinceMs: number;
}

/** The runs of the video's server on one phone. */
export type VideoState<Run> =
  | { kind: 'off' }
  /** `next` has sent no picture yet. */
  | { kind: 'starting'; next: Run }
  | { kind: 'on'; shown: Shown<Run> }
  /** `next` has a larger size or a higher rate, and replaces `shown` with its first key frame. */
  | { kind: 'growing'; shown: Shown<Run>; next: Run }
  /** The video is off for good. */
  | { kind: 'closed' };

export type VideoEvent<Run> =
  /** A run begins. If an earlier run has sent no picture yet, the new run replaces it. */
  | { kind: 'started'; next: Run }
  | { kind: 'key'; of: Run; atMs: number }
  /** A run has ended by itself. */
  | { kind: 'lost'; of: Run }
  /** All runs are to end. */
  | { kind: 'stopped' | 'closed' };

export interface VideoChange<Run> {
  state: VideoState<Run>;
  /** Runs to be stopped. Absent: none. */
  stops?: Run[];
  /** Set when the video has failed. Viewers had pictures since `sinceMs`; undefined: they had none. */
  failed?: { sinceMs: number | undefined };
}

/** Returns the runs after an event. An event of a run that is not in the state any more changes nothing. */
export function changeVideo<Run extends object>(state: VideoState<Run>, event: VideoEvent<Run>): VideoChange<Run> {
  if (state.kind === 'closed') return event.kind === 'started' ? { state, stops: [event.next] } : { state };
  const [shown, next] = [shownOf(state), nextOf(state)];
  switch (event.kind) {
    case 'started':
      return { state: stateOf(shown, event.next), stops: next ? [next] : [] };
    case 'key':
      if (event.of !== next) return { state };
      return { state: stateOf({ run: next, sinceMs: event.atMs }, undefined), stops: shown ? [shown.run] : [] };
    case 'lost':
      if (event.of === shown?.run) return { state: stateOf(undefined, next), failed: { sinceMs: shown.sinceMs } };
      if (event.of !== next) return { state };
      // Some phones encode one video at a time, so the present one is stopped, and the larger one is then started again.
      return { state: { kind: 'off' }, ...(shown ? { stops: [shown.run] } : { failed: { sinceMs: undefined } }) };
    case 'stopped':
    case 'closed': {
      const kind = event.kind === 'closed' ? 'closed' : 'off';
      return { state: { kind }, stops: [...(next ? [next] : []), ...(shown ? [shown.run] : [])] };
    }
  }
}

export function shownOf<Run>(state: VideoState<Run>): Shown<Run> | undefined {
  return 'shown' in state ? state.shown : undefined;
}

export function nextOf<Run>(state: VideoState<Run>): Run | undefined {
  return 'next' in state ? state.next : undefined;
}

function stateOf<Run>(shown: Shown<Run> | undefined, next: Run | undefined): VideoState<Run> {
  if (shown === undefined) return next === undefined ? { kind: 'off' } : { kind: 'starting', next };
  return next === undefined ? { kind: 'on', shown } : { kind: 'growing', shown, next };
}
