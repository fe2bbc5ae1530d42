/** The limits of this service, each with its reason. */
export interface ScreenLimits {
  /** Time for TCP connect and ADB handshake together, ms. A LAN phone takes under 50. */
  connectTimeoutMs: number;
  /** Time for one short command (getprop, input, dumpsys), ms. `input` alone takes 1.2 s on old phones. */
  commandTimeoutMs: number;
  /** Time for one capture, ms. `screencap -p` takes 2 s on slow phones. */
  captureTimeoutMs: number;
  /** Time for one uiautomator dump, ms. Its own idle wait gives up after 10 s, which is longer than callers should wait. */
  treeTimeoutMs: number;
  /** Time for a tapped field to take the focus, ms. A phone under load takes a second or two to open the page of a search box. */
  focusMs: number;
  /** Largest output of a short command, bytes. `dumpsys window` prints 300 KB. */
  maxCommandBytes: number;
  /** Largest screen image that is read, bytes. 4K RGBA is 33 MB. */
  maxCaptureBytes: number;
  /** Largest uiautomator dump that is read, bytes. 781 nodes are 290 KB. */
  maxTreeBytes: number;
  /** Largest log that is read for one request, bytes. */
  maxLogBytes: number;
  /** Time for a whole list of a directory, or another short exchange about files, ms. 10,000 files of a slow phone take some seconds. */
  listTimeoutMs: number;
  /** Most entries of a directory that are read. */
  maxDirectoryEntries: number;
  /** Longest time in which a phone sends or takes nothing of a file or a list, ms. Storage that is nearly full pauses for seconds. */
  fileIdleMs: number;
  /** Time between the last byte of a written file and the phone's response, ms. The phone may first have to flush its buffers. */
  fileFinishMs: number;
  /** Largest file that is read or written, bytes. */
  maxFileBytes: number;
  /** An unused connection is closed after this time, ms. */
  idleMs: number;
  /** Most phones that are kept connected; the least recently used is closed first. */
  maxPhones: number;
  /** Unused pixels and encoded images are released after this time, ms. */
  pixelsKeptMs: number;
  /** How long a viewer's stream waits for a phone that does not run, or that sends no picture, ms. */
  awayMs: number;
  /** Most observations kept for `tap: {element}`, over all keys and devices; the oldest are removed first. About 50 KB each. */
  maxObservations: number;
}

/** Largest picture from a phone that is decoded, pixels (8192 x 8192). No screen is larger, and decoding would take gigabytes. */
export const MAX_SCREEN_PIXELS = 67_108_864;

export const screenLimits: ScreenLimits = {
  connectTimeoutMs: 4_000,
  commandTimeoutMs: 10_000,
  captureTimeoutMs: 10_000,
  treeTimeoutMs: 8_000,
  focusMs: 3_000,
  maxCommandBytes: 4 * 1024 * 1024,
  maxCaptureBytes: 64 * 1024 * 1024,
  maxTreeBytes: 8 * 1024 * 1024,
  maxLogBytes: 32 * 1024 * 1024,
  listTimeoutMs: 30_000,
  maxDirectoryEntries: 10_000,
  fileIdleMs: 20_000,
  fileFinishMs: 60_000,
  maxFileBytes: 2 * 1024 ** 3,
  idleMs: 180_000,
  maxPhones: 500,
  pixelsKeptMs: 10_000,
  awayMs: 60_000,
  maxObservations: 1_000,
};
