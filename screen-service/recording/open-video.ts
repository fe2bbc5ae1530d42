import { ApiError } from '../../kit/errors/api-error.js';
import type { VideoEncoders } from '../../phone/video/video-encoder.js';
import type { VideoForm } from '../live/video/scrcpy-session.js';
import type { WatchedPhone } from '../live/watched-phone.js';
import { PhoneVideo } from './phone-video.js';
import { PictureVideo } from './picture-video.js';
import type { UnitSource } from './unit-source.js';

/**
 * Opens the video of a phone for a recording: its own, or else one that is made of its pictures. A phone may turn out to have no video only
 * when it is tried; then its pictures take the place. Once there is a picture, the source stays the same.
 */
export function openVideo(
  phone: WatchedPhone,
  encoders: VideoEncoders,
  form: VideoForm,
  onNews: () => void,
): UnitSource {
  if (!phone.video.isOffered) return new OnlyWithEncoder(new PictureVideo(phone, encoders, form, onNews));
  const own = new PhoneVideo(phone, form, onNews);
  let source: UnitSource = own;
  let hasBegun = false;
  const present = (): UnitSource => {
    if (source === own && !hasBegun && own.isOver) {
      own.leave();
      source = new OnlyWithEncoder(new PictureVideo(phone, encoders, form, onNews));
    }
    return source;
  };
  return {
    take: () => {
      const units = present().take();
      hasBegun ||= units.length > 0;
      return units;
    },
    get failing() {
      return present().failing;
    },
    get isOver() {
      return present().isOver;
    },
    leave: () => source.leave(),
  };
}

/** Video of pictures, whose failure names the program that is missing. */
class OnlyWithEncoder implements UnitSource {
  readonly #video: PictureVideo;
  readonly leave: () => void;

  constructor(video: PictureVideo) {
    this.#video = video;
    this.leave = video.leave;
  }

  get failing() {
    const { failing } = this.#video;
    return failing !== undefined && isMissing(failing.error)
      ? { ...failing, error: noEncoder(failing.error) }
      : failing;
  }

  get isOver(): boolean {
    return this.#video.isOver;
  }

  take() {
    return this.#video.take();
  }
}

function isMissing(error: Error): boolean {
  return 'code' in error && error.code === 'ENOENT';
}

function noEncoder(cause: Error): ApiError {
  return new ApiError(
    'busy',
    'The phone has no video, and the machine of the screen service has no program ffmpeg to make one of its pictures. ' +
      'Install ffmpeg there, or give the phones video (SCRCPY_SERVER).',
    { cause },
  );
}
