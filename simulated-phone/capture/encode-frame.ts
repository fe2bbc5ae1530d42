import sharp, { type Sharp } from 'sharp';
import type { Frame } from '../system/system.js';

/** Encodes a frame as PNG, as a phone does. It uses level 3 without alpha, as level 6 costs ten times as much on gradients. */
export function encodePng(frame: Frame): Promise<Buffer> {
  return rawImage(frame).removeAlpha().png({ compressionLevel: 3 }).toBuffer();
}

export function encodeJpeg(frame: Frame, quality = 90): Promise<Buffer> {
  return rawImage(frame).removeAlpha().jpeg({ quality }).toBuffer();
}

function rawImage({ data, width, height }: Frame): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 } });
}
