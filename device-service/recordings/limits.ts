/** Limits of recordings. */

/** Longest time of a recording where the caller sets none, s. */
export const MAX_UNSET_S = 600;
/** Pictures a second where the caller sets no bound. */
export const DEFAULT_FPS = 30;
/** Room that must be left of the account's storage when a recording begins, bytes: a few seconds of video. */
export const MIN_ROOM_BYTES = 1_000_000;
/** How often the account's storage is counted while a recording goes on, ms. */
export const QUOTA_CHECK_MS = 10_000;
/** Most recordings of a phone that are stored at a time. */
export const MAX_OF_PHONE = 1_000;
/** How often it is checked whether the phone is still on, ms. */
export const PHONE_CHECK_MS = 1_000;
/** Longest time from the request to the first picture, ms. A phone takes some seconds to start its encoder. */
export const FIRST_PICTURE_MS = 30_000;
/** Longest time for the last piece of a recording that is stopped, ms. */
export const LAST_PIECE_MS = 10_000;
/** How often recordings that are over are removed, ms. */
export const SWEEP_RECORDINGS_MS = 60_000;
/** How often folders and devices are compared with the recordings, ms. */
export const SWEEP_LEFT_MS = 3_600_000;
/** How many recordings one query of the sweep returns. */
export const SWEPT_AT_ONCE = 200;
/** How long recordings are stored, ms. Setting RECORDING_DAYS. */
export const DEFAULT_KEPT_MS = 7 * 86_400_000;
