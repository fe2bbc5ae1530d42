import { useEffect } from 'react';

/** The height of the tone, Hz. */
const PITCH_HZ = 660;
/** How loud it is, of 1. */
const LOUDNESS = 0.15;
/** How long it is, s, and how long it takes to become loud. Without the latter it would begin with a click. */
const TONE_S = 0.35;
const SWELL_S = 0.03;
/** A tone that could not begin within this time is left out, ms: it would come for no visible reason. */
const LATE_MS = 2_000;

/** The browser's sound; undefined until the person has used the page. Before that, browsers play nothing. */
let sound: AudioContext | undefined;

/** Makes tones possible. It is called while the browser handles a press of the person. */
export function allowTone(): void {
  sound ??= new AudioContext();
}

/** Makes tones possible at the first press on the page, while `isOn`. */
export function useAllowedTone(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const presses = new AbortController();
    const allow = (): void => {
      allowTone();
      presses.abort();
    };
    for (const type of ['pointerup', 'keydown']) addEventListener(type, allow, { signal: presses.signal });
    return () => presses.abort();
  }, [isOn]);
}

/** Plays one short tone, where the person has used the page. */
export function playTone(): void {
  if (sound === undefined) return;
  const askedMs = performance.now();
  const context = sound;
  // A browser that refuses has no sound to offer; the number of phones is shown all the same.
  context.resume().then(
    () => {
      if (performance.now() - askedMs < LATE_MS) sing(context);
    },
    () => undefined,
  );
}

function sing(context: AudioContext): void {
  const at = context.currentTime;
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(LOUDNESS, at + SWELL_S);
  volume.gain.linearRampToValueAtTime(0, at + TONE_S);
  const tone = new OscillatorNode(context, { frequency: PITCH_HZ });
  tone.connect(volume).connect(context.destination);
  // Sound that goes on without a tone costs power.
  tone.onended = () => void context.suspend();
  tone.start(at);
  tone.stop(at + TONE_S);
}
