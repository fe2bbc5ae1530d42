import sharp from 'sharp';

/** A picture of a film, and how long it is shown, ms. */
export interface Shot {
  picture: Buffer;
  shownMs: number;
}

/** Encodes shots of one size as a film of WebP that is repeated; equal ones after another become one. */
export async function encodeFilm(shots: readonly Shot[], width: number): Promise<Buffer> {
  const kept: Shot[] = [];
  for (const shot of shots) {
    const last = kept.at(-1);
    if (last !== undefined && last.picture.equals(shot.picture)) last.shownMs += shot.shownMs;
    else kept.push({ ...shot });
  }
  const frames = await Promise.all(kept.map(({ picture }) => sharp(picture).resize({ width }).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    .webp({ quality: 62, effort: 5, loop: 0, delay: kept.map(({ shownMs }) => Math.round(shownMs)), minSize: true })
    .toBuffer();
}
