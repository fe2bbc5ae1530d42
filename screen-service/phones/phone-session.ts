import { Captures } from '../capture/captures.js';
import { encodePixels, type ImageSpec, recodeJpeg } from '../capture/encode.js';
import type { CrashWatch } from '../crashes/crash-watch.js';
import type { CrashWatches } from '../crashes/crash-watches.js';
import { Images } from '../capture/images.js';
import { MinicapSource } from '../capture/minicap/minicap-source.js';
import type { TouchedPhone } from '../input/touched-phone.js';
import { ControlTouches } from '../input/touch/control-touches.js';
import { Fingers } from '../input/touch/fingers.js';
import type { LoggingPhone } from '../logs/follow-logs.js';
import type { SharedLogs } from '../logs/shared-logs.js';
import { type LocatedPhone, reachPhone, type ReachParts } from '../link/reached-phone.js';
import { LiveScreen } from '../live/live-screen.js';
import type { PicturedPhone } from '../live/screenshot.js';
import { LiveVideo } from '../live/video/live-video.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import type { SecretsOfPhones } from '../secrets/secrets-of-phones.js';
import { ResidentServer } from '../tree/resident/resident-server.js';
import { ResidentTrees } from '../tree/resident/resident-trees.js';
import { UiautomatorTrees } from '../tree/uiautomator-trees.js';

export interface SessionParts extends ReachParts {
  /** The logs of phones. */
  logs: SharedLogs;
  /** The secrets that were typed into phones. */
  secrets: SecretsOfPhones;
  /** The watches for crashes. Absent: phones are not watched. */
  crashes?: CrashWatches | undefined;
  /** scrcpy's server. Undefined: phones have no video. */
  scrcpyFile: Uint8Array | undefined;
}

/** The connection to a running phone and its state between requests. Permissions are not kept: they are checked on every request. */
export interface PhoneSession extends PicturedPhone, ObservedPhone, TouchedPhone, LoggingPhone {
  readonly resident: ResidentServer;
  /** The watch for crashes of apps. Undefined: the phone is not watched. */
  readonly crashes: CrashWatch | undefined;
  /** Closes the connection after the running commands. Requests under way can still use the phone. */
  release(): void;
  /** Closes the connection; running commands fail. */
  close(): void;
}

/** Opens a session part by part: each part gets the parts that it uses, which are complete by then. */
export function openSession(located: LocatedPhone, parts: SessionParts): PhoneSession {
  const reached = reachPhone(located, parts);
  const { phone, clock, limits, metrics, link, inputs } = reached;
  const timed = <S>(encode: (source: S, spec: ImageSpec) => ReturnType<typeof encodePixels>) =>
    new Images<S & object>(clock, (source, spec) => metrics.encode(spec.format, () => encode(source, spec)));
  const [images, minicapImages] = [timed(encodePixels), timed(recodeJpeg)];
  const captures = new Captures(reached);
  const minicap = new MinicapSource(reached);
  const resident = new ResidentServer(reached);
  const trees = new ResidentTrees(reached, resident, new UiautomatorTrees(reached));
  const live = new LiveScreen(reached, { captures, images, minicap, minicapImages });
  minicap.follow((frame) => live.push(frame));
  const video = new LiveVideo(reached, parts.scrcpyFile);
  const control = new ControlTouches({ phone, clock, limits, inputs, captures, video });
  const fingers = new Fingers(reached, () => (video.control === undefined ? undefined : control));
  const crashes = parts.crashes?.hold(located);
  const end = (): void => {
    crashes?.release();
    minicap.stop();
    captures.close();
    fingers.close();
    video.close();
    void resident.close();
  };
  return {
    ...reached,
    // It is looked up at each use, as it is forgotten while nobody reads it.
    get sharedLog() {
      return parts.logs.of(located);
    },
    captures,
    images,
    minicap,
    minicapImages,
    resident,
    trees,
    live,
    video,
    fingers,
    secrets: parts.secrets.of(located),
    crashes: crashes?.watch,
    release: () => {
      end();
      link.release();
    },
    close: () => {
      end();
      link.close();
    },
  };
}
