import { h264ParseConfiguration } from '@yume-chan/scrcpy';
import { MAX_SCREEN_PIXELS } from '../../limits.js';
import type { VideoConfiguration } from './video-unit.js';

/** Parameter sets have some 30 bytes. */
const MAX_CONFIGURATION_BYTES = 4_096;

/** Parses the parameter sets of a phone's video. Throws for other data, and for a picture whose size is not that of a screen. */
export function parseConfiguration(data: Buffer): VideoConfiguration {
  if (data.length > MAX_CONFIGURATION_BYTES) throw new Error(`a configuration of ${data.length} bytes`);
  const { profileIndex, constraintSet, levelIndex, croppedWidth: width, croppedHeight: height } = h264ParseConfiguration(data); // prettier-ignore
  if (!(width > 0 && height > 0 && width * height <= MAX_SCREEN_PIXELS)) {
    throw new Error(`a video of ${width} x ${height} pixels`);
  }
  const codec = [profileIndex, constraintSet, levelIndex].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { codec: `avc1.${codec.toUpperCase()}`, width, height, data };
}
